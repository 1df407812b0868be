import Reactive

extension Workload {
  /// One source, many observers.
  static let sharing = [subject10, share10, share1000, relay1000]

  private static let subject10 = Workload(
    "reactive/subject10",
    "a PublishSubject's emission to ten observers; figures are per delivery",
    deliveries: 10,
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.05), .times(2.5, .loop)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    for _ in 0..<10 { tally.keep(subject.added(to: tally)) }
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  } loop: {
    ByHand.calling(observers: 10)
  }

  private static let share10 = Workload(
    "reactive/share10",
    "an emission through share(replay: 1) to ten observers; figures are per delivery",
    deliveries: 10,
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.05), .times(2.5, .loop)]
  ) {
    sharing(observers: 10)
  } loop: {
    ByHand.calling(observers: 10)
  }

  private static let share1000 = Workload(
    "reactive/share1000",
    "the same to a thousand observers",
    deliveries: 1000,
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.05), .times(1.7, .loop)]
  ) {
    sharing(observers: 1000)
  } loop: {
    ByHand.calling(observers: 1000)
  }

  private static let relay1000 = Workload(
    "reactive/relay1000",
    "a BehaviorRelay's value to a thousand observers; figures are per delivery",
    deliveries: 1000,
    gates: [.allocations(0)],
    targets: [.shareOfRxSwift(0.05), .times(1.7, .loop)]
  ) {
    let tally = Tally()
    let relay = BehaviorRelay(value: 0)
    for _ in 0..<1000 { tally.keep(relay.added(to: tally)) }
    return { count in
      for element in 0..<count { relay.accept(element) }
      return tally.take()
    }
  } loop: {
    ByHand.calling(observers: 1000)
  }

  private static func sharing(observers: Int) -> Contender.Body {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: 1)
    for _ in 0..<observers { tally.keep(shared.added(to: tally)) }
    return { count in
      for element in 0..<count { subject.onNext(element) }
      return tally.take()
    }
  }
}
