import Reactive

extension Workload {
  /// The memory of subscriptions, and after their end.
  static let keeping = [live, live3, completed]

  private static let live = holding(
    "live",
    "a subscription to a subject, one of 10,000 at once; live is its size",
    .shareOfRxSwiftBytes(0.35)
  ) { subject, tally in
    subject.added(to: tally)
  }

  private static let live3 = holding(
    "live3",
    "the same through map, filter and map, made for each",
    .shareOfRxSwiftBytes(0.25)
  ) { subject, tally in
    subject.map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
      .added(to: tally)
  }

  private static let completed = Workload(
    "reactive/completed",
    "a subscription that completes, in a bag that stays; kept is the memory left by it",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    let bag = DisposeBag()
    return { count in
      for element in 0..<count {
        subject.take(1).added(to: tally).disposed(by: bag)
        subject.onNext(element)
      }
      return tally.take()
    }
  } loop: {
    ByHand.calling { $0.add }
  }

  /// Subscribes so often; time is that of subscribing alone.
  private static func holding(
    _ name: String,
    _ summary: String,
    _ target: Gate,
    _ subscribe:
      @escaping @MainActor (PublishSubject<Int>, Tally) -> any Disposable
  ) -> Workload {
    let held = Held(10_000)
    return Workload(
      "reactive/\(name)",
      summary,
      operations: 10_000,
      gates: [.keepsNothing(after: 10_000), .stored(.allocations), .stored(.live)],
      targets: [target],
      afterBatch: held.dispose
    ) {
      let tally = Tally()
      let subject = PublishSubject<Int>()
      return { count in
        for _ in 0..<count { held.add(subscribe(subject, tally)) }
        subject.onNext(2)
        return tally.take()
      }
    }
  }
}
