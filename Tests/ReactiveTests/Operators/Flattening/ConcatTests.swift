import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ConcatTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `concat subscribes to each observable when its predecessor has completed`() {
    let a = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let b = scheduler.createColdObservable([.next(10, 2), .completed(30)])
    let observer = scheduler.start { a.asObservable().concat(b).concat(Observable.just(3)) }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .next(250, 3), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(b.subscriptions == [Subscription(220, 250)])
  }

  @Test func `concat ends with the first error`() {
    let a = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.any)])
    let b = scheduler.createColdObservable([.next(10, 2)])
    let observer = scheduler.start { Observable<Int>.concat(a.asObservable(), b.asObservable()) }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(b.subscriptions.isEmpty)
  }

  @Test func `concat releases a completed source while a later one runs`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let observer = scheduler.start { source.take(1).concat(Observable.never()) }
    #expect(observer.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 210)])
    let subject = PublishSubject<Int>()
    let held = SerialDisposable()
    #expect(
      isReleased { token in
        held.disposable = subject.map { element -> Int in
          token.hold()
          return element
        }
        .take(1)
        .concat(Observable.never())
        .subscribe()
        subject.onNext(1)
      }
    )
    #expect(!subject.hasObservers)
    held.dispose()
  }

  @Test func `concat alternates between the sources of a merged successor`() {
    let first = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription = first.concat(Observable<Int>.merge(.of(1, 2), .of(3, 4))).record(in: log)
    first.onCompleted()
    #expect(log.events == ["1", "3", "2", "4", "|"])
    subscription.dispose()
  }

  @Test func `concat subscribes to the next observable in the trampoline turn of the completion`() {
    let beside = Observable.of(10, 20, 30, 40, 50, 60)
    for concatenated in [
      Observable.concat(.of(1, 2), .of(3, 4)), .of(1, 2).concat(Observable.of(3, 4)),
    ] {
      let received = Observable.merge(concatenated, beside).recorded()
      #expect(received == "1 10 2 20 30 3 40 4 50 60 |")
    }
  }

  @Test func `25,000 nested concats run and are released without recursion`() async {
    await #expect(processExitsWith: .success) {
      onAnotherThread {
        for isLast in [true, false] {
          let count = Atomic(0)
          var nested = Observable<Int>.of(0)
          for number in 1..<25_000 {
            let one = number % 2 == 0 ? Observable.just(number) : Observable.of(number)
            nested = isLast ? one.concat(nested) : nested.concat(one)
          }
          _ = nested.subscribe(onNext: { _ in count.add(1, ordering: .relaxed) })
          precondition(count.load(ordering: .relaxed) == 25_000)
          _ = nested.subscribe().dispose()
        }
      }
    }
  }

  @Test func `nested concats emit their elements in order`() {
    let inner = Observable.concat(.of(2, 3), .concat(.empty(), .just(4)))
    let outer = Observable.concat(.just(1), inner, .concat([Observable<Int>]()), inner, .just(5))
    #expect(outer.recorded() == "1 2 3 4 2 3 4 5 |")
    #expect(outer.map { -$0 }.recorded() == "-1 -2 -3 -4 -2 -3 -4 -5 |")
    let failing = Observable.concat(.concat(.just(1), .error(TestError.any)), .just(2))
    #expect(failing.recorded() == "1 x")
    #expect(outer.take(3).recorded() == "1 2 3 |")
  }

  @Test func `concat of an empty array completes`() {
    #expect(Observable<Int>.concat([Observable<Int>]()).recorded() == "|")
  }

  @Test func `concat of a sequence requests the next observable when it is needed`() {
    let asked = Atomic(0)
    let sources = sequence(state: 0) { state -> Observable<Int>? in
      asked.add(1, ordering: .relaxed)
      state += 1
      return .of(state, -state)
    }
    #expect(Observable<Int>.concat(sources).take(3).recorded() == "1 -1 2 |")
    #expect(asked.load(ordering: .relaxed) == 2)
  }

  @Test func `concat of 100,000 synchronous observables does not overflow the stack`() {
    let count = Atomic(0)
    onAnotherThread {
      _ = Observable<Int>.concat((0..<100_000).lazy.map { Observable.just($0) })
        .subscribe(onNext: { _ in count.add(1, ordering: .relaxed) })
    }
    #expect(count.load(ordering: .relaxed) == 100_000)
  }

  @Test func `disposal in onNext stops concat`() {
    let own = SerialDisposable()
    let log = EventRecorder<Int>()
    own.disposable = Observable.of(1, 2).concat(Observable.of(3, 4)).subscribe(onNext: {
      log.append($0)
    })
    let subject = PublishSubject<Int>()
    own.disposable = subject.concat(Observable.of(9)).subscribe(onNext: {
      log.append($0)
      own.dispose()
    })
    subject.onNext(5)
    subject.onNext(6)
    subject.onCompleted()
    #expect(log.events == [1, 2, 3, 4, 5])
  }
}
