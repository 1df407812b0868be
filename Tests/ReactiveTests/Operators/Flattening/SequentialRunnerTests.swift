import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct SequentialRunnerTests {
  @Test func `concat of 50,000 empty observables does not overflow the stack`() {
    let log = EventRecorder<Int>()
    let empties = repeatElement(Observable<Int>.empty(), count: 50_000)
    _ = Observable.concat(Array(empties) + [.just(1)]).subscribe(onNext: { log.append($0) })
    #expect(log.events == [1])
  }

  @Test
  func `an end that concat, catch and retry pass on is delivered before afterCompleted upstream`() {
    func events(
      _ source: Observable<Int>, _ chain: (Observable<Int>) -> Observable<Int>
    ) -> [String] {
      let log = EventRecorder<String>()
      let watched = source.do(
        afterError: { _ in log.append("after") }, afterCompleted: { log.append("after") },
        onSubscribed: { log.append("subscribed") })
      chain(watched).record(in: log).dispose()
      return log.events
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

  @Test func `concat disposes of each observable before it subscribes to the next`() {
    let log = EventRecorder<String>()
    func source(_ name: String) -> Observable<Int> {
      .create { observer in
        log.append("+\(name)")
        observer.onCompleted()
        return Disposables.create { log.append("-\(name)") }
      }
    }
    _ = Observable.concat(source("a"), source("b")).subscribe()
    #expect(log.events == ["+a", "-a", "+b", "-b"])
  }
}
