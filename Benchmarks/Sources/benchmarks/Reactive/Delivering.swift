import Reactive

extension Workload {
  /// One source, stateless and stateful stages, one observer.
  static let delivering = [
    subject, subjectGeneric, relay, map3, map3Generic, stages20, stages20Generic, scanDistinct,
  ]

  private static let subject = Workload(
    "reactive/subject",
    "an element through a PublishSubject to one observer",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.06), .times(8, .loop)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(Breakage.breaking(subject, tally) ?? subject.added(to: tally))
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    ByHand.calling { $0.add }
  }

  private static let subjectGeneric = Workload(
    "reactive/subjectGeneric",
    "the same, reached from generic code that is not specialised",
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.07)]
  ) {
    calling { Unspecialized.subject($0) }
  } loop: {
    ByHand.calling { $0.add }
  }

  private static let relay = Workload(
    "reactive/relay",
    "an element through a PublishRelay to one observer",
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.06), .times(8, .loop)]
  ) {
    let tally = Tally()
    let relay = PublishRelay<Int>()
    tally.keep(relay.added(to: tally))
    return { count in
      for element in 0..<count { relay.accept(element) }
      return tally.take()
    }
  } loop: {
    ByHand.calling { $0.add }
  }

  private static let map3 = Workload(
    "reactive/map3",
    "an element through map, filter and map; half of them pass",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.05), .times(2.6, .chain)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(
      subject.map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
        .added(to: tally)
    )
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfMap3()
  } chain: {
    chainOfMap3()
  }

  private static let map3Generic = Workload(
    "reactive/map3Generic",
    "the same, reached from generic code that is not specialised",
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.07)]
  ) {
    calling { Unspecialized.map3(UserCode.triple, UserCode.isEven, UserCode.increment, $0) }
  } loop: {
    loopOfMap3()
  } chain: {
    chainOfMap3()
  }

  private static let stages20 = Workload(
    "reactive/stages20",
    "an element through ten maps and ten filters in turn; all of them pass",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.065), .times(1.55, .chain)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    var stages = subject.asObservable()
    for _ in 0..<10 { stages = stages.map { UserCode.increment($0) }.filter { UserCode.isAny($0) } }
    tally.keep(stages.added(to: tally))
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfStages20()
  } chain: {
    chainOfStages20()
  }

  private static let stages20Generic = Workload(
    "reactive/stages20Generic",
    "the same, reached from generic code that is not specialised",
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.19)]
  ) {
    calling { Unspecialized.stages20(UserCode.increment, UserCode.isAny, $0) }
  } loop: {
    loopOfStages20()
  } chain: {
    chainOfStages20()
  }

  private static let scanDistinct = Workload(
    "reactive/scanDistinct",
    "an element through scan and distinctUntilChanged; half of them pass",
    gates: [.allocations(0), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.05), .times(7, .loop)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(
      subject.scan(0, accumulator: UserCode.countOdd).distinctUntilChanged()
        .added(to: tally)
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

  /// Sends through the chain that `build` makes.
  private static func calling(
    _ build: (@escaping @Sendable (Int) -> Void) -> Unspecialized.Chain<Int>
  ) -> Contender.Body {
    let tally = Tally()
    let (send, subscription) = build(tally.add)
    tally.keep(subscription)
    return { count in
      for element in 0..<count { send(element) }
      return tally.take()
    }
  }

  private static func loopOfMap3() -> Contender.Body {
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

  private static func chainOfMap3() -> Contender.Body {
    ByHand.calling { tally in
      let last = ByHand.map(UserCode.increment, tally.add)
      return ByHand.map(UserCode.triple, ByHand.filter(UserCode.isEven, last))
    }
  }

  private static func loopOfStages20() -> Contender.Body {
    let tally = Tally()
    let (add, increment, isAny) = (tally.add, UserCode.increment, UserCode.isAny)
    return { count in
      next: for element in 0..<count {
        var element = element
        for _ in 0..<10 {
          element = increment(element)
          if !isAny(element) { continue next }
        }
        add(element)
      }
      return tally.take()
    }
  }

  private static func chainOfStages20() -> Contender.Body {
    ByHand.calling { tally in
      var stages = tally.add
      for _ in 0..<10 {
        stages = ByHand.map(UserCode.increment, ByHand.filter(UserCode.isAny, stages))
      }
      return stages
    }
  }
}
