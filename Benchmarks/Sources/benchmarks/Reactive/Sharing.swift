import Reactive

extension Workload {
  /// One source, many observers.
  static let sharing = [subject10, share10, relay1000]

  private static let subject10 = Workload(
    "reactive/subject10",
    "a PublishSubject's emission to ten observers; figures are per delivery",
    deliveries: 10,
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    for _ in 0..<10 { tally.keep(subject.subscribe(onNext: tally.add)) }
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loop(observers: 10)
  }

  private static let share10 = Workload(
    "reactive/share10",
    "an emission through share(replay: 1) to ten observers; figures are per delivery",
    deliveries: 10,
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: 1)
    for _ in 0..<10 { tally.keep(shared.subscribe(onNext: tally.add)) }
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    loop(observers: 10)
  }

  private static let relay1000 = Workload(
    "reactive/relay1000",
    "a BehaviorRelay's value to a thousand observers; figures are per delivery",
    deliveries: 1000,
    gates: [.allocations(0)]
  ) {
    let tally = Tally()
    let relay = BehaviorRelay(value: 0)
    for _ in 0..<1000 { tally.keep(relay.subscribe(onNext: tally.add)) }
    return { count in
      for element in 0..<count { relay.accept(element) }
      return tally.take()
    }
  } loop: {
    loop(observers: 1000)
  }

  private static func loop(observers: Int) -> Contender.Body {
    let tally = Tally()
    let add = tally.add
    return { count in
      for element in 0..<count {
        for _ in 0..<observers { add(element) }
      }
      return tally.take()
    }
  }
}
