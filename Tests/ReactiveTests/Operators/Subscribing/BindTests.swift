import Reactive
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct BindTests {
  private let log = Log<String>()
  private let bag = DisposeBag()

  @Test func `observers receive everything, in the order they are given`() {
    let (one, other) = (PublishSubject<Int>(), PublishSubject<Int>())
    one.write(to: log, "one ").disposed(by: bag)
    other.write(to: log, "other ").disposed(by: bag)
    _ = Observable.just(1).bind(to: one, other)
    #expect(log.entries == ["one 1", "other 1", "one |", "other |"])
  }

  @Test func `an observer receives an error too`() {
    let subject = PublishSubject<Int>()
    subject.write(to: log).disposed(by: bag)
    _ = Observable.error(TestError.any).bind(to: subject)
    #expect(log.entries == ["x"])
  }

  @Test func `observers and relays of optional elements`() {
    let (subject, relay) = (PublishSubject<Int?>(), BehaviorRelay<Int?>(value: nil))
    subject.map { "\($0 ?? 0)" }.write(to: log).disposed(by: bag)
    _ = Observable.just(1).bind(to: subject)
    _ = Observable.just(2).bind(to: relay)
    #expect(log.entries == ["1", "|"])
    #expect(relay.value == 2)
  }

  @Test func `relays receive the elements`() {
    let (one, other) = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
    _ = Observable.of(1, 2).bind(to: one, other)
    #expect((one.value, other.value) == (2, 2))
  }

  @Test func `an error on its way to a relay or a closure is reported`() {
    let failing = Observable<Int>.error(Unhandled(name: "bound"))
    let errors = reported {
      _ = failing.bind(to: PublishRelay<Int>())
      _ = failing.bind(to: PublishRelay<Int?>())
      _ = failing.bind { _ in }
      _ = failing.bind(with: Token()) { _, _ in }
    }
    #expect(errors == ["bound", "bound", "bound", "bound"])
  }

  @Test func `a closure is called with every element, also of an infallible`() {
    _ = Observable.of(1, 2).bind { [log] in log.append("\($0)") }
    _ = Observable.of(3).bind(onNext: { [log] in log.append("\($0)") })
    _ = Infallible.of(4).bind { [log] in log.append("\($0)") }
    #expect(log.entries == ["1", "2", "3", "4"])
  }

  @Test func `an object is held weakly`() {
    let (log, subject) = (log, PublishSubject<Int>())
    let isReleased = isReleased { token in
      _ = subject.bind(with: token) { log.append("\(type(of: $0)) \($1)") }
      _ = subject.asInfallible(onErrorJustReturn: 0).bind(with: token) { log.append("\($1)") }
      subject.onNext(1)
    }
    subject.onNext(2)
    #expect(isReleased)
    #expect(log.entries == ["Token 1", "1"])
  }

  @Test func `a function is given the sequence itself`() {
    let observable = Observable.just(1)
    #expect(observable.bind { $0 === observable })
    #expect(observable.bind(to: { source in { source === $0 } }, curriedArgument: observable))
    #expect(Infallible.just(1).bind { $0.asObservable().written() } == "1 |")
  }

  @Test func `what has ended is let go of, though its disposable is kept`() {
    var subscriptions: [any Disposable] = []
    let isReleased = isReleased { token in
      let observer = AnyObserver<Int> { _ in token.hold() }
      subscriptions.append(Observable.just(1).bind(to: observer))
      subscriptions.append(Observable.just(1).bind { _ in token.hold() })
    }
    #expect(isReleased)
    #expect(subscriptions.count == 2)
  }

  @Test func `disposal ends it`() {
    let (subject, relay) = (PublishSubject<Int>(), BehaviorRelay(value: 0))
    let subscription = subject.bind(to: relay)
    subject.onNext(1)
    subscription.dispose()
    subject.onNext(2)
    #expect(relay.value == 1)
    #expect(!subject.hasObservers)
  }
}
