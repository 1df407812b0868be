import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ObservableTests {
  @Test func `asObservable of an observable returns the same object`() {
    let observable = Observable.of(1, 2)
    #expect(observable.asObservable() === observable)
  }

  @Test func `an observable does nothing before a subscription and starts again for each one`() {
    let log = EventRecorder<String>()
    let observable = Observable<Int>.create { observer in
      log.append("begun")
      observer.onNext(1)
      return Disposables.create()
    }
    #expect(log.events.isEmpty)
    for _ in 0..<2 { observable.record(in: log).dispose() }
    #expect(log.events == ["begun", "1", "begun", "1"])
  }

  @Test func `a disposed sink receives no event`() {
    let log = EventRecorder<Int>()
    let subject = PublishSubject<Int>()
    let sink = Sink<Int>(next: { log.append($0) }, end: { _ in log.append(-1) })
    let subscription = subject.asObservable().start(sink)
    subject.onNext(1)
    subscription.dispose()
    subject.onNext(2)
    subject.onCompleted()
    #expect(log.events == [1])
  }
}
