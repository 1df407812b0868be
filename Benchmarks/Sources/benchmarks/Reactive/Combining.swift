import Reactive

extension Workload {
  /// Several sources, sent to in turn.
  static let combining = [merge4, combineLatest2, zip2]

  private static let merge4 = Workload(
    "reactive/merge4",
    "an element of one of four merged subjects",
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let subjects = (0..<4).map { _ in PublishSubject<Int>() }
    let sources = subjects.map { $0.asObservable() }
    tally.keep(Observable<Int>.merge(sources).subscribe(onNext: tally.add))
    return { count in
      for element in 0..<count { subjects[element & 3].onNext(element) }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let add = tally.add
    return { count in
      for element in 0..<count { add(element) }
      return tally.take()
    }
  }

  private static let combineLatest2 = Workload(
    "reactive/combineLatest2",
    "an element of one of two subjects, combined with the other's latest",
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    tally.keep(
      Observable.combineLatest(left, right, resultSelector: UserCode.add)
        .subscribe(onNext: tally.add)
    )
    return { count in
      for element in 0..<count {
        if element & 1 == 0 { left.onNext(element) } else { right.onNext(element) }
      }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let (add, join) = (tally.add, UserCode.add)
    var left: Int?
    var right: Int?
    return { count in
      for element in 0..<count {
        if element & 1 == 0 { left = element } else { right = element }
        if let left, let right { add(join(left, right)) }
      }
      return tally.take()
    }
  }

  private static let zip2 = Workload(
    "reactive/zip2",
    "a pair of elements, one of each of two zipped subjects",
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    tally.keep(
      Observable.zip(left, right, resultSelector: UserCode.add).subscribe(onNext: tally.add)
    )
    return { count in
      for element in 0..<count {
        left.onNext(element)
        right.onNext(element)
      }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let (add, join) = (tally.add, UserCode.add)
    return { count in
      for element in 0..<count { add(join(element, element)) }
      return tally.take()
    }
  }
}
