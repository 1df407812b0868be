import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct BehaviorSubjectTests {
  @Test func `new observers hear the latest first`() throws {
    let subject = BehaviorSubject(value: 0)
    #expect(try subject.value() == 0)
    let log = Log<String>()
    let bag = DisposeBag()
    subject.write(to: log, "a").disposed(by: bag)
    subject.onNext(1)
    subject.write(to: log, "b").disposed(by: bag)
    subject.onCompleted()
    subject.write(to: log, "c").disposed(by: bag)
    subject.onNext(2)
    #expect(log.entries == ["a0", "a1", "b1", "a|", "b|", "c|"])
    #expect(try subject.value() == 1)
  }

  @Test func `its value throws the error it ended with`() {
    let subject = BehaviorSubject(value: 0)
    subject.onError(TestError.any)
    #expect(throws: TestError.any) { try subject.value() }
    #expect(subject.written() == "x")
  }

  @Test func `disposed, its value throws and newcomers are told`() {
    let subject = BehaviorSubject(value: 0)
    let log = Log<String>()
    _ = subject.write(to: log)
    subject.dispose()
    subject.onNext(1)
    #expect(throws: RxError.self) { try subject.value() }
    #expect(subject.isDisposed)
    #expect(subject.written() == "x")
    #expect(log.entries == ["0"])
  }

  @Test func `two that feed each other from two threads do not deadlock`() {
    let (a, b) = (BehaviorSubject(value: 0), BehaviorSubject(value: 0))
    onThreads(2) { index in
      let (mine, other) = index == 0 ? (a, b) : (b, a)
      for element in 0..<2_000 {
        _ = mine.take(1).subscribe(onNext: { _ in other.onNext(element) })
      }
    }
    #expect(!a.hasObservers && !b.hasObservers)
  }
}
