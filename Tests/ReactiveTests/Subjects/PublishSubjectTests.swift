import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct PublishSubjectTests {
  @Test func `a publish subject delivers later elements to a late observer`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    subject.onNext(1)
    let subscription = subject.record(in: log)
    subject.on(.next(2))
    subject.asObserver().onNext(3)
    #expect(log.events == ["2", "3"])
    #expect(subject.hasObservers)
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `a publish subject delivers its error to a late observer`() {
    let subject = PublishSubject<Int>()
    subject.onError(TestError.any)
    #expect(subject.recorded() == "x")
  }

  @Test func `two publish subjects that send to each other on two threads do not deadlock`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let count = Atomic(0)
    let bag = DisposeBag()
    a.subscribe(onNext: { if $0 > 0 { b.onNext($0 - 1) } else { count.add(1, ordering: .relaxed) } }
    )
    .disposed(by: bag)
    b.subscribe(onNext: { if $0 > 0 { a.onNext($0 - 1) } else { count.add(1, ordering: .relaxed) } }
    )
    .disposed(by: bag)
    onThreads(2) { index in
      for _ in 0..<5_000 { (index == 0 ? a : b).onNext(3) }
    }
    #expect(count.load(ordering: .relaxed) == 10_000)
  }
}
