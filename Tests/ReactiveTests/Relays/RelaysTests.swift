import Reactive
import Testing

@Suite struct RelaysTests {
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

  @Test func `a replay relay delivers its last elements first`() {
    let (two, all) = (ReplayRelay<Int>.create(bufferSize: 2), ReplayRelay<Int>.createUnbound())
    let log = Log<String>()
    let bag = DisposeBag()
    for element in 1...3 {
      two.accept(element)
      all.accept(element)
    }
    two.write(to: log, "two").disposed(by: bag)
    all.asObservable().write(to: log, "all").disposed(by: bag)
    Observable.just(4).bind(to: two).disposed(by: bag)
    #expect(log.entries == ["two2", "two3", "all1", "all2", "all3", "two4"])
  }

  @Test func `the value is the new one while it is told`() {
    let relay = BehaviorRelay(value: 1)
    let log = Log<Int>()
    let subscription = relay.subscribe(onNext: { _ in log.append(relay.value) })
    relay.accept(2)
    #expect(log.entries == [1, 2])
    subscription.dispose()
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
