import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ExpandTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `expand emits an element before the elements of its observable`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(215, 5), .completed(220)])
    let observer = scheduler.start {
      source.expand { [scheduler] element -> Observable<Int> in
        element < 100
          ? .just(element * 10).delay(.seconds(10), scheduler: scheduler) : .empty()
      }
    }
    #expect(
      observer.events == [
        .next(210, 1), .next(215, 5), .next(220, 10), .next(225, 50), .next(230, 100),
        .next(235, 500), .completed(236),
      ])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `expand emits synchronous observables breadth first`() {
    let tree = Observable.of(1).expand { $0 < 4 ? Observable.of($0 * 2, $0 * 2 + 1) : .empty() }
    #expect(tree.recorded() == "1 2 3 4 5 6 7 |")
  }

  @Test func `expand of 100,000 generations does not overflow the stack`() {
    let count = Atomic(0)
    onAnotherThread {
      let subject = PublishSubject<Int>()
      let subscription = subject.expand { $0 < 100_000 ? Observable.just($0 + 1) : .empty() }
        .subscribe(onNext: { _ in count.add(1, ordering: .relaxed) })
      subject.onNext(1)
      subscription.dispose()
    }
    #expect(count.load(ordering: .relaxed) == 100_000)
  }

  @Test func `expand emits every element of two threads, one at a time`() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let (inside, most, count) = (Locked(0), Locked(0), Locked(0))
    let subscription = first.expand { $0 == 0 ? second : .empty() }
      .subscribe(onNext: { _ in
        let now = inside.withLock {
          $0 += 1
          return $0
        }
        most.withLock { $0 = max($0, now) }
        count.withLock { $0 += 1 }
        inside.withLock { $0 -= 1 }
      })
    first.onNext(0)
    onThreads(2) { index in
      for element in 1...10_000 { (index == 0 ? first : second).onNext(element) }
    }
    #expect(most.withLock { $0 } == 1)
    #expect(count.withLock { $0 } == 20_001)
    subscription.dispose()
  }

  @Test func `disposal in onNext stops expand`() {
    let (log, serial) = (EventRecorder<Int>(), SerialDisposable())
    let subject = PublishSubject<Int>()
    serial.disposable = subject.expand { Observable.just($0 + 1) }.subscribe(onNext: {
      log.append($0)
      if $0 == 3 { serial.dispose() }
    })
    subject.onNext(1)
    #expect(log.events == [1, 2, 3])
    #expect(!subject.hasObservers)
  }
}
