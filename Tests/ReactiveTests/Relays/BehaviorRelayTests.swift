import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct BehaviorRelayTests {
  @Test func `a behavior relay has a value and delivers it first`() {
    let relay = BehaviorRelay(value: 1)
    let log = Log<String>()
    let subscription = relay.write(to: log)
    relay.accept(2)
    #expect(relay.value == 2)
    #expect(relay.asObservable().take(1).written() == "2 |")
    #expect(log.entries == ["1", "2"])
    subscription.dispose()
  }

  @Test func `the value is the new one while it is told`() {
    let relay = BehaviorRelay(value: 1)
    let log = Log<Int>()
    let subscription = relay.subscribe(onNext: { _ in log.append(relay.value) })
    relay.accept(2)
    #expect(log.entries == [1, 2])
    subscription.dispose()
  }
}
