import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ChainTests {
  @Test func `observables that end at once follow each other without a deep stack`() {
    let log = Log<Int>()
    let empties = repeatElement(Observable<Int>.empty(), count: 50_000)
    _ = Observable.concat(Array(empties) + [.just(1)]).subscribe(onNext: { log.append($0) })
    #expect(log.entries == [1])
  }

  @Test func `an end that a chain passes on is delivered before afterCompleted upstream`() {
    func events(
      _ source: Observable<Int>, _ chain: (Observable<Int>) -> Observable<Int>
    ) -> [String] {
      let log = Log<String>()
      let watched = source.do(
        afterError: { _ in log.append("after") }, afterCompleted: { log.append("after") },
        onSubscribed: { log.append("subscribed") })
      chain(watched).write(to: log).dispose()
      return log.entries
    }
    let failing = Observable<Int>.error(TestError.any)
    #expect(events(.just(1)) { $0.retry(1) } == ["1", "|", "after", "subscribed"])
    #expect(events(.just(1)) { .catch(sequence: [$0, $0]) } == ["1", "|", "after", "subscribed"])
    #expect(events(failing) { $0.concat($0) } == ["x", "after", "subscribed"])
    #expect(
      events(.just(1)) { $0.retry(when: { (errors: Observable<any Error>) in errors }) }
        == ["1", "|", "after", "subscribed"])
    // The end of the last observable is delivered when the call that subscribes to it has returned,
    // as in RxSwift.
    #expect(events(failing) { $0.retry(1) } == ["after", "subscribed", "x"])
    #expect(events(.just(1)) { .concat([$0]) } == ["1", "after", "subscribed", "|"])
  }

  @Test func `each is let go of before the next one starts`() {
    let log = Log<String>()
    func source(_ name: String) -> Observable<Int> {
      .create { observer in
        log.append("+\(name)")
        observer.onCompleted()
        return Disposables.create { log.append("-\(name)") }
      }
    }
    _ = Observable.concat(source("a"), source("b")).subscribe()
    #expect(log.entries == ["+a", "-a", "+b", "-b"])
  }
}
