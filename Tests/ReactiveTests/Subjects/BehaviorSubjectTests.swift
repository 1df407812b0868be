import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct BehaviorSubjectTests {
  @Test func `a behavior subject delivers its latest element first`() throws {
    let subject = BehaviorSubject(value: 0)
    #expect(try subject.value() == 0)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    subject.record(in: log, "a").disposed(by: bag)
    subject.onNext(1)
    subject.record(in: log, "b").disposed(by: bag)
    subject.onCompleted()
    subject.record(in: log, "c").disposed(by: bag)
    subject.onNext(2)
    #expect(log.events == ["a0", "a1", "b1", "a|", "b|", "c|"])
    #expect(try subject.value() == 1)
  }

  @Test func `the value of a failed behavior subject throws its error`() {
    let subject = BehaviorSubject(value: 0)
    subject.onError(TestError.any)
    #expect(throws: TestError.any) { try subject.value() }
    #expect(subject.recorded() == "x")
  }

  @Test func `a disposed behavior subject throws and fails for new observers`() {
    let subject = BehaviorSubject(value: 0)
    let log = EventRecorder<String>()
    _ = subject.record(in: log)
    subject.dispose()
    subject.onNext(1)
    #expect(throws: RxError.self) { try subject.value() }
    #expect(subject.isDisposed)
    #expect(subject.recorded() == "x")
    #expect(log.events == ["0"])
  }

  @Test func `two behavior subjects that send to each other on two threads do not deadlock`() {
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
