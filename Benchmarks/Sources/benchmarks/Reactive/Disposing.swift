import Reactive

extension Workload {
  /// Containers of subscriptions, and objects with short lives.
  static let disposing = [
    composite, compositeOfThree, bagOfOne, subscribeSubject, rebuild3, idleSubject, idleRelay,
  ]

  private static let composite = Workload(
    "reactive/composite",
    "a disposable into a CompositeDisposable that holds 1000, and out of it",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let tally = Tally()
    let composite = CompositeDisposable()
    for _ in 0..<1000 { _ = composite.insert(Disposables.create {}) }
    return { count in
      for element in 0..<count {
        let action = Disposables.create { [add = tally.add] in add(element) }
        if let key = composite.insert(action) { composite.remove(for: key) }
      }
      return tally.take()
    }
  }

  private static let compositeOfThree = Workload(
    "reactive/composite3",
    "a CompositeDisposable of three, made and disposed of",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let flags = (0..<3).map { _ in BooleanDisposable() }
    return { count in
      for _ in 0..<count { CompositeDisposable(flags[0], flags[1], flags[2]).dispose() }
      return count
    }
  }

  private static let bagOfOne = Workload(
    "reactive/bag1",
    "a bag that is made, given one disposable and released",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let tally = Tally()
    return { count in
      for element in 0..<count {
        let bag = DisposeBag()
        Disposables.create { [add = tally.add] in add(element) }.disposed(by: bag)
      }
      return tally.take()
    }
  }

  private static let subscribeSubject = Workload(
    "reactive/subscribeSubject",
    "a subject without other observers: subscribed and disposed of",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    return { count in
      for _ in 0..<count { subject.added(to: tally).dispose() }
      return count
    }
  }

  private static let rebuild3 = Workload(
    "reactive/rebuild3",
    "three stages on a subject, built, subscribed, sent one element and disposed of",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    return { count in
      for element in 0..<count {
        let stages = subject.map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
        let subscription = stages.added(to: tally)
        subject.onNext(element)
        subscription.dispose()
      }
      return tally.take()
    }
  }

  private static let idleSubject = idle("subject") { PublishSubject<Int>() }

  private static let idleRelay = idle("relay") { PublishRelay<Int>() }

  /// The memory of a subject or relay without observers.
  private static func idle(_ name: String, _ make: @escaping @MainActor () -> AnyObject) -> Workload
  {
    Workload(
      "reactive/\(name)Idle",
      "a Publish\(name.capitalized) without observers, one of 10,000; live is its size",
      operations: 10_000,
      gates: [.keepsNothing(after: 10_000), .stored(.allocations), .stored(.live)],
      targets: [.bytes(145)]
    ) {
      var all: [AnyObject] = []
      all.reserveCapacity(10_000)
      return { count in
        for _ in 0..<count { all.append(make()) }
        all.removeAll(keepingCapacity: true)
        return count
      }
    }
  }
}
