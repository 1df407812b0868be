import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Common behaviour of `combineLatest` and `zip`.
@MainActor
@Suite(.workerPool) struct CombineStateTests {
  @Test func `combineLatest and zip accept relays, subjects and observables together`() {
    let relay = BehaviorRelay(value: 1)
    let subject = BehaviorSubject(value: "a")
    #expect(
      Observable.combineLatest(relay, subject, Observable.just(true)).take(1).recorded()
        == #"(1, "a", true) |"#)
    #expect(Observable.zip(relay, subject) { "\($0)\($1)" }.take(1).recorded() == "1a |")
  }

  @Test func `combineLatest and zip of drivers, signals or infallibles return the same kind`() {
    #expect(
      mocked { _ -> Driver<String> in
        Driver.combineLatest(Driver.just(1), Driver.just("a")) { "\($0)\($1)" }
      }.map { text($0.value) } == ["1a", "|"])
    #expect(
      mocked { _ -> Signal<(Int, String)> in
        Signal.zip(Signal.just(1), Signal.just("a"))
      }.map { text($0.value) } == [#"(1, "a")"#, "|"])
    let infallible: Infallible<Int> = .combineLatest(Infallible.just(1), Infallible.just(2)) {
      $0 + $1
    }
    #expect(infallible.asObservable().recorded() == "3 |")
  }

  @Test func `combineLatest and zip ignore events that a source sends after its end`() {
    let unruly = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      observer.onNext(2)
      observer.onError(TestError.any)
      return Disposables.create()
    }
    #expect(
      Observable.combineLatest(unruly, Observable.of(10, 20)) { $0 + $1 }.recorded() == "11 21 |")
    #expect(Observable.zip(unruly, Observable.of(10, 20)) { $0 + $1 }.recorded() == "11 |")
  }

  @Test func `combineLatest and zip subscribe to no source after one that fails during subscribe`()
  {
    let log = EventRecorder<String>()
    let watched = Observable.just(1).do(onSubscribe: { log.append("subscribed") })
    let failing = Observable<Int>.error(TestError.any)
    #expect(Observable.combineLatest(failing, watched) { $0 + $1 }.recorded() == "x")
    #expect(Observable.zip(failing, watched) { $0 + $1 }.recorded() == "x")
    #expect(log.events == [])
  }

  @Test func `combineLatest delivers elements that its observer sends after the current one`() {
    let (a, b) = (BehaviorRelay(value: 1), BehaviorRelay(value: 10))
    let log = EventRecorder<Int>()
    let subscription = Observable.combineLatest(a, b) { $0 + $1 }.subscribe(onNext: { sum in
      log.append(sum)
      if sum < 14 { a.accept(a.value + 1) }
    })
    #expect(log.events == [11, 12, 13, 14])
    subscription.dispose()
  }

  @Test func `ended or disposed combineLatest and zip release their closures`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    var subscriptions: [any Disposable] = []
    for isDisposed in [true, false] {
      let isReleased = isReleased { token in
        let combined = Observable.combineLatest(a, b) { first, second in
          token.hold()
          return first + second
        }
        let zipped = Observable.zip(a, b) { first, second in
          token.hold()
          return first + second
        }
        subscriptions = [combined.subscribe(), zipped.subscribe()]
        a.onNext(1)
        b.onNext(2)
        a.onNext(3)
        if isDisposed { for subscription in subscriptions { subscription.dispose() } }
        if !isDisposed { b.onError(TestError.any) }
      }
      #expect(isReleased)
    }
  }
}
