import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct RelayTypeTests {
  @Test func `RelayType.accept sends to every kind of relay`() {
    func send<Relay: RelayType>(_ element: Relay.Element, to relay: Relay) { relay.accept(element) }
    let (publish, behavior) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
    let log = EventRecorder<String>()
    let subscription = publish.record(in: log)
    send(1, to: publish)
    send(2, to: behavior)
    #expect(log.events == ["1"])
    #expect(behavior.value == 2)
    subscription.dispose()
  }

  @Test func `a custom relay can be bound, driven and converted`() {
    let relay = Doubling()
    _ = Observable.just(1).bind(to: relay)
    #expect(relay.kept.value == 2)
    inMockedTime { _ in _ = Driver.just(2).drive(relay) }
    #expect(relay.kept.value == 4)
    inMockedTime { _ in _ = Signal.just(3).emit(to: relay) }
    #expect(relay.kept.value == 6)
    #expect(mocked { _ in relay.asDriver() } == [.next(201, 6)])
    #expect(mocked { _ in relay.asSignal() } == [.next(201, 6)])
    #expect(mocked { _ in relay.asInfallible() } == [.next(200, 6)])
  }
}

private struct Doubling: RelayType {
  typealias Element = Int

  let kept = BehaviorRelay(value: 0)

  func accept(_ element: Int) { kept.accept(element * 2) }

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Int { kept.subscribe(observer) }
}
