import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ReplaySubjectTests {
  @Test func `a replay subject replays its elements after the end`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 2)
    for element in 1...3 { subject.onNext(element) }
    subject.onCompleted()
    subject.onNext(4)
    #expect(subject.recorded() == "2 3 |")
    #expect(subject.recorded() == "2 3 |")
  }

  @Test func `a replay subject of size zero replays only the end`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 0)
    subject.onNext(1)
    #expect(subject.recorded() == "")
    subject.onError(TestError.any)
    #expect(subject.recorded() == "x")
  }

  @Test func `an unbounded replay subject replays all elements`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 0..<1_000 { subject.onNext(element) }
    let log = EventRecorder<Int>()
    subject.subscribe(onNext: { log.append($0) }).dispose()
    #expect(log.events == Array(0..<1_000))
  }

  @Test func `a disposed replay subject replays no elements`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    subject.onNext(1)
    subject.dispose()
    #expect(subject.recorded() == "x")
  }
}
