import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct PublishRelayTests {
  @Test func `a publish relay delivers to whoever observes`() {
    let relay = PublishRelay<Int>()
    let log = Log<String>()
    relay.accept(1)
    let subscription = relay.write(to: log)
    relay.accept(2)
    subscription.dispose()
    relay.accept(3)
    #expect(log.entries == ["2"])
  }

  @Test
  func `an attached receiver gets the elements, tells the observers in its time, and is kept`() {
    let relay = PublishRelay<Int>()
    let log = Log<String>()
    let subscription = relay.write(to: log)
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
    #expect(log.entries == ["received 1", "1"])
    #expect(kept != nil)
    subscription.dispose()
  }
}
