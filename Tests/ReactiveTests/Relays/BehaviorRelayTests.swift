import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct BehaviorRelayTests {
  @Test func `a behavior relay has a value and delivers it first`() {
    let relay = BehaviorRelay(value: 1)
    let log = EventRecorder<String>()
    let subscription = relay.record(in: log)
    relay.accept(2)
    #expect(relay.value == 2)
    #expect(relay.asObservable().take(1).recorded() == "2 |")
    #expect(log.events == ["1", "2"])
    subscription.dispose()
  }

  @Test func `the value of a behavior relay is the new one during its delivery`() {
    let relay = BehaviorRelay(value: 1)
    let log = EventRecorder<Int>()
    let subscription = relay.subscribe(onNext: { _ in log.append(relay.value) })
    relay.accept(2)
    #expect(log.events == [1, 2])
    subscription.dispose()
  }
}
