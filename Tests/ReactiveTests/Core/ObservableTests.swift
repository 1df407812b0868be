import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ObservableTests {
  @Test func `it is itself as an observable`() {
    let observable = Observable.of(1, 2)
    #expect(observable.asObservable() === observable)
  }

  @Test func `nothing happens before somebody subscribes, and each subscription begins anew`() {
    let log = Log<String>()
    let observable = Observable<Int>.create { observer in
      log.append("begun")
      observer.onNext(1)
      return Disposables.create()
    }
    #expect(log.entries.isEmpty)
    for _ in 0..<2 { observable.write(to: log).dispose() }
    #expect(log.entries == ["begun", "1", "begun", "1"])
  }

  @Test func `a closed sink lets nothing through`() {
    let log = Log<Int>()
    let subject = PublishSubject<Int>()
    let sink = Sink<Int>(next: { log.append($0) }, end: { _ in log.append(-1) })
    let subscription = subject.asObservable().start(sink)
    subject.onNext(1)
    subscription.dispose()
    subject.onNext(2)
    subject.onCompleted()
    #expect(log.entries == [1])
  }
}
