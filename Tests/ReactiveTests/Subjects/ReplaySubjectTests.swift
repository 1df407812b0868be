import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ReplaySubjectTests {
  @Test func `replays also after the end`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 2)
    for element in 1...3 { subject.onNext(element) }
    subject.onCompleted()
    subject.onNext(4)
    #expect(subject.written() == "2 3 |")
    #expect(subject.written() == "2 3 |")
  }

  @Test func `a size of zero replays the end only`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 0)
    subject.onNext(1)
    #expect(subject.written() == "")
    subject.onError(TestError.any)
    #expect(subject.written() == "x")
  }

  @Test func `unbounded, it replays everything`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 0..<1_000 { subject.onNext(element) }
    let log = Log<Int>()
    subject.subscribe(onNext: { log.append($0) }).dispose()
    #expect(log.entries == Array(0..<1_000))
  }

  @Test func `disposed, it forgets`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    subject.onNext(1)
    subject.dispose()
    #expect(subject.written() == "x")
  }
}
