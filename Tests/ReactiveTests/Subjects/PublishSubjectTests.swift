import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct PublishSubjectTests {
  @Test func `late subscribers hear what follows`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    subject.onNext(1)
    let subscription = subject.write(to: log)
    subject.on(.next(2))
    subject.asObserver().onNext(3)
    #expect(log.entries == ["2", "3"])
    #expect(subject.hasObservers)
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `late subscribers hear the error`() {
    let subject = PublishSubject<Int>()
    subject.onError(TestError.any)
    #expect(subject.written() == "x")
  }

  @Test func `two subjects that send into each other from two threads do not deadlock`() {
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
