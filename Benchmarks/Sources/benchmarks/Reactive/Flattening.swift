import Reactive

extension Workload {
  /// An observable for each element.
  static let flattening = [
    flatMapJust, flatMapLive, flatMapLatestJust, flatMapLatest3, concatMap3,
  ]

  private static let flatMapJust = Workload(
    "reactive/flatMapJust",
    "an element through flatMap to just",
    gates: [.stored(.allocations), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.06), .allocations(5)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(subject.flatMap { Observable.just(UserCode.triple($0)) }.added(to: tally))
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfOne()
  }

  private static let flatMapLive = Workload(
    "reactive/flatMapLive",
    "an element through flatMap to a mapped just, which takes a subscription of its own",
    gates: [.stored(.allocations), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.18), .allocations(5)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(
      subject.flatMap { Observable.just($0).map(UserCode.triple) }.added(to: tally)
    )
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfOne()
  }

  private static let flatMapLatestJust = Workload(
    "reactive/flatMapLatestJust",
    "an element through flatMapLatest to just",
    gates: [.stored(.allocations), .stored(.instructions)],
    targets: [.allocations(3)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(subject.flatMapLatest { Observable.just(UserCode.triple($0)) }.added(to: tally))
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfOne()
  }

  private static let flatMapLatest3 = Workload(
    "reactive/flatMapLatest3",
    "an element through flatMapLatest to three",
    gates: [.stored(.allocations)],
    targets: [.shareOfRxSwift(0.05), .allocations(5)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(subject.flatMapLatest { threeElements($0) }.added(to: tally))
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfThree()
  }

  private static let concatMap3 = Workload(
    "reactive/concatMap3",
    "an element through concatMap to three",
    gates: [.stored(.allocations)],
    targets: [.shareOfRxSwift(0.05), .allocations(5)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    tally.keep(subject.concatMap { threeElements($0) }.added(to: tally))
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loopOfThree()
  }

  private nonisolated static func threeElements(_ first: Int) -> Observable<Int> {
    .of(first, first &+ 1, first &+ 2)
  }

  private static func loopOfOne() -> Contender.Body {
    let tally = Tally()
    let add = tally.add
    return { count in
      for element in 0..<count { add(UserCode.triple(element)) }
      return tally.take()
    }
  }

  private static func loopOfThree() -> Contender.Body {
    let tally = Tally()
    let add = tally.add
    return { count in
      for element in 0..<count {
        for offset in 0..<3 { add(element &+ offset) }
      }
      return tally.take()
    }
  }
}
