import Reactive

extension Workload {
  /// One source, stateless and stateful stages, one observer.
  static let delivering = [subject, map3, scanDistinct, range]

  private static let subject = Workload(
    "reactive/subject",
    "an element through a PublishSubject to one observer",
    gates: [.shareOfPeer(0.19), .allocations(0)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(subject.subscribe(onNext: tally.add))
    return { count in
      for element in 0..<count { subject.onNext(element) }
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

  private static let map3 = Workload(
    "reactive/map3",
    "an element through map, filter and map; half of them pass",
    gates: [.shareOfPeer(0.20), .allocations(0)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(
      subject.map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
        .subscribe(onNext: tally.add)
    )
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let add = tally.add
    let (triple, isEven, increment) = (UserCode.triple, UserCode.isEven, UserCode.increment)
    return { count in
      for element in 0..<count {
        let tripled = triple(element)
        if isEven(tripled) { add(increment(tripled)) }
      }
      return tally.take()
    }
  }

  private static let scanDistinct = Workload(
    "reactive/scanDistinct",
    "an element through scan and distinctUntilChanged; half of them pass",
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(
      subject.scan(0, accumulator: UserCode.countOdd).distinctUntilChanged()
        .subscribe(onNext: tally.add)
    )
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let (add, countOdd) = (tally.add, UserCode.countOdd)
    var accumulated = 0
    var last: Int?
    return { count in
      for element in 0..<count {
        accumulated = countOdd(accumulated, element)
        if accumulated != last {
          last = accumulated
          add(accumulated)
        }
      }
      return tally.take()
    }
  }

  private static let range = Workload(
    "reactive/range",
    "an element of one long range, subscribed anew for each batch"
  ) {
    let tally = Tally()
    return { count in
      let numbers = Observable.range(start: 0, count: count).subscribe(onNext: tally.add)
      numbers.dispose()
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
}
