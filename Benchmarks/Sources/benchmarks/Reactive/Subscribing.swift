import Reactive

extension Workload {
  /// Subscriptions that come and go.
  static let subscribing = [
    subscribe3, build3,
    churn("10", held: 10, .shareOfRxSwift(0.21)),
    churn("1k", held: 1000, .shareOfRxSwift(0.21)),
    churn("100k", held: 100_000, .timesWorkload(1.5, "reactive/churn10")),
    bag("10", held: 10, .shareOfRxSwift(0.46)),
    bag("", held: 1000, .shareOfRxSwift(0.46)),
    bag("100k", held: 100_000, .shareOfRxSwift(0.46), .timesWorkload(1.5, "reactive/bag10")),
  ]

  private static let subscribe3 = Workload(
    "reactive/subscribe3",
    "three stages on create, built once: subscribed, sent one element, disposed of",
    gates: [
      .keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions),
    ],
    targets: [.shareOfRxSwift(0.11), .allocations(7)]
  ) {
    let tally = Tally()
    let stages = threeStages(2)
    return { count in
      for _ in 0..<count { stages.added(to: tally).dispose() }
      return tally.take()
    }
  }

  private static let build3 = Workload(
    "reactive/build3",
    "the same, and built each time",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations)]
  ) {
    let tally = Tally()
    return { count in
      for element in 0..<count { threeStages(element).added(to: tally).dispose() }
      return tally.take()
    }
  }

  private static func threeStages(_ element: Int) -> Observable<Int> {
    Observable<Int>.create { observer in
      observer.onNext(element)
      return Disposables.create()
    }
    .map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
  }

  private static func churn(_ suffix: String, held: Int, _ targets: Gate...) -> Workload {
    Workload(
      "reactive/churn\(suffix)",
      "a subscription to a subject that has \(held) others, and its end",
      gates: [.keepsNothing(after: 100_000), .stored(.allocations)],
      targets: targets
    ) {
      let tally = Tally()
      let subject = PublishSubject<Int>()
      for _ in 0..<held { tally.keep(subject.added(to: tally)) }
      return { count in
        for _ in 0..<count { subject.added(to: tally).dispose() }
        return tally.take()
      }
    }
  }

  private static func bag(_ suffix: String, held: Int, _ targets: Gate...) -> Workload {
    let isHot = suffix.isEmpty
    return Workload(
      "reactive/bag\(suffix)",
      "a subscription into a bag that holds \(held), and out of it",
      gates: [.keepsNothing(after: 100_000), .stored(.allocations)]
        + (isHot ? [.stored(.instructions)] : []),
      targets: targets
    ) {
      let tally = Tally()
      let bag = DisposeBag()
      for _ in 0..<held { bag.insert(Disposables.create {}) }
      return { count in
        for element in 0..<count {
          let subscription = Disposables.create { [add = tally.add] in add(element) }
          bag.insert(subscription)
          subscription.dispose()
        }
        return tally.take()
      }
    }
  }
}
