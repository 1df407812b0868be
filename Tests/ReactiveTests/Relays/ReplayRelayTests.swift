import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ReplayRelayTests {
  @Test func `a replay relay delivers its last elements first`() {
    let (two, all) = (ReplayRelay<Int>.create(bufferSize: 2), ReplayRelay<Int>.createUnbound())
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    for element in 1...3 {
      two.accept(element)
      all.accept(element)
    }
    two.record(in: log, "two").disposed(by: bag)
    all.asObservable().record(in: log, "all").disposed(by: bag)
    Observable.just(4).bind(to: two).disposed(by: bag)
    #expect(log.events == ["two2", "two3", "all1", "all2", "all3", "two4"])
  }
}
