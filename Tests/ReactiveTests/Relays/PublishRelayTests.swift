import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct PublishRelayTests {
  @Test func `a publish relay delivers to current observers`() {
    let relay = PublishRelay<Int>()
    let log = EventRecorder<String>()
    relay.accept(1)
    let subscription = relay.record(in: log)
    relay.accept(2)
    subscription.dispose()
    relay.accept(3)
    #expect(log.events == ["2"])
  }

  @Test
  func `a relay retains an attached receiver, which receives elements before the observers`() {
    let relay = PublishRelay<Int>()
    let log = EventRecorder<String>()
    let subscription = relay.record(in: log)
    weak var kept: Token?
    do {
      let token = Token()
      let hub = relay.hub
      kept = relay.attach {
        let receive = { (element: Int) in
          log.append("received \(element)")
          hub.next(element)
        }
        return (token, receive)
      }
      let again: Token? = relay.attach { (Token(), { _ in log.append("never") }) }
      #expect(again === token)
    }
    relay.accept(1)
    #expect(log.events == ["received 1", "1"])
    #expect(kept != nil)
    subscription.dispose()
  }
}
