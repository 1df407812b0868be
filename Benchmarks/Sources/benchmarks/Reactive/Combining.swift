import Reactive

extension Workload {
  /// Several sources, sent to in turn.
  static let combining = [merge4, combineLatest2, combineLatest8, zip2, withLatestFrom]

  private static let merge4 = Workload(
    "reactive/merge4",
    "an element of one of four merged subjects",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.10)]
  ) {
    let tally = Tally()
    let subjects = (0..<4).map { _ in PublishSubject<Int>() }
    let sources = subjects.map { $0.asObservable() }
    tally.keep(Observable<Int>.merge(sources).added(to: tally))
    return { count in
      for element in 0..<count { subjects[element & 3].onNext(element) }
      return tally.take()
    }
  } loop: {
    // Four to choose from by number, as the subjects are.
    let tally = Tally()
    let sinks = (0..<4).map { _ in tally.add }
    return { count in
      for element in 0..<count { sinks[element & 3](element) }
      return tally.take()
    }
  }

  private static let combineLatest2 = Workload(
    "reactive/combineLatest2",
    "an element of one of two subjects, combined with the other's latest",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.08)]
  ) {
    let tally = Tally()
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    tally.keep(
      Observable.combineLatest(left, right, resultSelector: UserCode.add)
        .added(to: tally)
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

  private static let combineLatest8 = Workload(
    "reactive/combineLatest8",
    "an element of one of eight subjects, combined with the latest of the others",
    gates: [.allocations(1)],
    targets: [.shareOfRxSwift(0.10)]
  ) {
    let tally = Tally()
    let subjects = (0..<8).map { _ in PublishSubject<Int>() }
    let join = UserCode.addEight
    tally.keep(
      Observable.combineLatest(
        subjects[0], subjects[1], subjects[2], subjects[3], subjects[4], subjects[5], subjects[6],
        subjects[7], resultSelector: { join(($0, $1, $2, $3, $4, $5, $6, $7)) }
      )
      .added(to: tally)
    )
    return { count in
      for element in 0..<count { subjects[element & 7].onNext(element) }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let (add, join) = (tally.add, UserCode.addEight)
    var latest = (0..<8).map { _ in 0 }
    var seen = 0
    return { count in
      for element in 0..<count {
        latest[element & 7] = element
        seen |= 1 << (element & 7)
        if seen == 0xFF {
          add(
            join(
              (
                latest[0], latest[1], latest[2], latest[3], latest[4], latest[5], latest[6],
                latest[7]
              )))
        }
      }
      return tally.take()
    }
  }

  private static let zip2 = Workload(
    "reactive/zip2",
    "a pair of elements, one of each of two zipped subjects",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.07)]
  ) {
    let tally = Tally()
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    tally.keep(
      Observable.zip(left, right, resultSelector: UserCode.add).added(to: tally)
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

  private static let withLatestFrom = Workload(
    "reactive/withLatestFrom",
    "an element of a subject, joined with the latest of another",
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.09)]
  ) {
    let tally = Tally()
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    tally.keep(
      left.withLatestFrom(right, resultSelector: UserCode.add).added(to: tally)
    )
    right.onNext(1)
    return { count in
      for element in 0..<count { left.onNext(element) }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let (add, join) = (tally.add, UserCode.add)
    let latest: Int? = 1
    return { count in
      for element in 0..<count {
        if let latest { add(join(element, latest)) }
      }
      return tally.take()
    }
  }
}
