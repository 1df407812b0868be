import Reactive
import ReactiveTesting
import TestSupport
import Testing

// What `combineLatest` and `zip` have in common.
@MainActor
@Suite(.workerPool) struct CombineStateTests {
  @Test func `sources of different types of one kind are combined`() {
    let relay = BehaviorRelay(value: 1)
    let subject = BehaviorSubject(value: "a")
    #expect(
      Observable.combineLatest(relay, subject, Observable.just(true)).take(1).written()
        == #"(1, "a", true) |"#)
    #expect(Observable.zip(relay, subject) { "\($0)\($1)" }.take(1).written() == "1a |")
  }

  @Test func `what is made of shared sequences is of their kind`() {
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
    #expect(infallible.asObservable().written() == "3 |")
  }

  @Test func `a source that ends again, or emits after its end, is not heard`() {
    let unruly = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      observer.onNext(2)
      observer.onError(TestError.any)
      return Disposables.create()
    }
    #expect(
      Observable.combineLatest(unruly, Observable.of(10, 20)) { $0 + $1 }.written() == "11 21 |")
    #expect(Observable.zip(unruly, Observable.of(10, 20)) { $0 + $1 }.written() == "11 |")
  }

  @Test func `sources after one that fails at once are not subscribed`() {
    let log = Log<String>()
    let watched = Observable.just(1).do(onSubscribe: { log.append("subscribed") })
    let failing = Observable<Int>.error(TestError.any)
    #expect(Observable.combineLatest(failing, watched) { $0 + $1 }.written() == "x")
    #expect(Observable.zip(failing, watched) { $0 + $1 }.written() == "x")
    #expect(log.entries == [])
  }

  @Test func `an element sent while another is delivered comes after it, nested`() {
    let (a, b) = (BehaviorRelay(value: 1), BehaviorRelay(value: 10))
    let log = Log<Int>()
    let subscription = Observable.combineLatest(a, b) { $0 + $1 }.subscribe(onNext: { sum in
      log.append(sum)
      if sum < 14 { a.accept(a.value + 1) }
    })
    #expect(log.entries == [11, 12, 13, 14])
    subscription.dispose()
  }

  @Test func `what has ended or was disposed of is let go of`() {
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
