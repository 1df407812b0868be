import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct DisposeBagTests {
  @Test func `a released dispose bag disposes of its members in order`() {
    let log = EventRecorder<Int>()
    do {
      let bag = DisposeBag()
      for number in 1...3 { Disposables.create { log.append(number) }.disposed(by: bag) }
      bag.insert(Disposables.create { log.append(4) }, Disposables.create { log.append(5) })
      #expect(log.events.isEmpty)
    }
    #expect(log.events == [1, 2, 3, 4, 5])
  }

  @Test func `a dispose bag releases ten thousand ended subscriptions`() {
    let bag = DisposeBag()
    final class Counted: Sendable {
      let alive: Locked<Int>
      init(_ alive: Locked<Int>) {
        self.alive = alive
        alive.withLock { $0 += 1 }
      }
      deinit { alive.withLock { $0 -= 1 } }
      func hold() {}
    }
    let count = Locked(0)
    let subject = PublishSubject<Int>()
    for index in 0..<10_000 {
      let token = Counted(count)
      switch index % 5 {
      case 0: Observable.of(1, 2).subscribe(onNext: { _ in token.hold() }).disposed(by: bag)
      case 1: subject.take(1).subscribe(onNext: { _ in token.hold() }).disposed(by: bag)
      case 2:
        subject.flatMap { _ in Observable.of(1) }.take(1).subscribe(onNext: { _ in token.hold() })
          .disposed(by: bag)
      case 3:
        subject.map { _ -> Int in throw TestError.any }.catchAndReturn(1).subscribe(onNext: { _ in
          token.hold()
        }).disposed(by: bag)
      default:
        let subscription = subject.subscribe(onNext: { _ in token.hold() })
        subscription.disposed(by: bag)
        subscription.dispose()
      }
    }
    #expect(bag.count == 6_000)
    subject.onNext(1)
    #expect(bag.count == 0)
    #expect(count.withLock { $0 } == 0)
    #expect(!subject.hasObservers)
  }

  @Test func `an ended subscription is removed from all its dispose bags`() {
    let bags = (0..<3).map { _ in DisposeBag() }
    let subject = PublishSubject<Int>()
    let ending = subject.take(1).subscribe()
    let disposed = subject.subscribe()
    for bag in bags { bag.insert(ending, disposed) }
    #expect(bags.map(\.count) == [2, 2, 2])
    subject.onNext(1)
    #expect(bags.map(\.count) == [1, 1, 1])
    disposed.dispose()
    #expect(bags.map(\.count) == [0, 0, 0])
  }

  @Test func `each dispose bag of a subscription can dispose of it`() {
    let subject = PublishSubject<Int>()
    let first = DisposeBag()
    do {
      let second = DisposeBag()
      let subscription = subject.subscribe()
      subscription.disposed(by: first)
      subscription.disposed(by: second)
    }
    #expect(!subject.hasObservers)
    #expect(first.count == 0)
  }

  @Test func `a disposed dispose bag disposes of an inserted member at once`() {
    let bag = DisposeBag()
    bag.dispose()
    let flag = Disposables.create {}
    flag.disposed(by: bag)
    #expect(flag.isDisposed)
    #expect(bag.count == 0)
  }

  @Test func `a dispose bag does not insert an ended subscription`() {
    let bag = DisposeBag()
    Observable.just(1).subscribe().disposed(by: bag)
    #expect(bag.count == 0)
  }

  @Test func `a subscription in two dispose bags ends with the first one`() {
    let log = EventRecorder<String>()
    let subject = PublishSubject<Int>()
    let second = DisposeBag()
    do {
      let first = DisposeBag()
      let subscription = subject.record(in: log)
      subscription.disposed(by: first)
      subscription.disposed(by: second)
      subject.onNext(1)
    }
    subject.onNext(2)
    #expect(log.events == ["1"])
  }

  @Test func `a dispose bag disposes of each member once when four threads change it`() {
    let bag = DisposeBag()
    let disposals = Atomic(0)
    onThreads(4) { index in
      for step in 0..<5_000 {
        let one = Disposables.create { disposals.add(1, ordering: .relaxed) }
        one.disposed(by: bag)
        if step % 2 == 0 { one.dispose() }
        if index == 0, step == 4_000 { bag.dispose() }
      }
    }
    #expect(disposals.load(ordering: .relaxed) == 20_000)
    #expect(bag.count == 0)
  }
}
