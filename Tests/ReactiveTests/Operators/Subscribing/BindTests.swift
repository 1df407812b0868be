import Reactive
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct BindTests {
  private let log = EventRecorder<String>()
  private let bag = DisposeBag()

  @Test func `bind(to:) delivers every event to its observers in their order`() {
    let (one, other) = (PublishSubject<Int>(), PublishSubject<Int>())
    one.record(in: log, "one ").disposed(by: bag)
    other.record(in: log, "other ").disposed(by: bag)
    _ = Observable.just(1).bind(to: one, other)
    #expect(log.events == ["one 1", "other 1", "one |", "other |"])
  }

  @Test func `bind(to:) delivers an error to an observer`() {
    let subject = PublishSubject<Int>()
    subject.record(in: log).disposed(by: bag)
    _ = Observable.error(TestError.any).bind(to: subject)
    #expect(log.events == ["x"])
  }

  @Test func `bind(to:) accepts observers and relays of optional elements`() {
    let (subject, relay) = (PublishSubject<Int?>(), BehaviorRelay<Int?>(value: nil))
    subject.map { "\($0 ?? 0)" }.record(in: log).disposed(by: bag)
    _ = Observable.just(1).bind(to: subject)
    _ = Observable.just(2).bind(to: relay)
    #expect(log.events == ["1", "|"])
    #expect(relay.value == 2)
  }

  @Test func `bind(to:) delivers elements to several relays`() {
    let (one, other) = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
    _ = Observable.of(1, 2).bind(to: one, other)
    #expect((one.value, other.value) == (2, 2))
  }

  @Test func `bind to a relay or closure reports an error as unhandled`() {
    let failing = Observable<Int>.error(UnhandledError(name: "bound"))
    let errors = reported {
      _ = failing.bind(to: PublishRelay<Int>())
      _ = failing.bind(to: PublishRelay<Int?>())
      _ = failing.bind { _ in }
      _ = failing.bind(with: Token()) { _, _ in }
    }
    #expect(errors == ["bound", "bound", "bound", "bound"])
  }

  @Test func `bind(onNext:) calls its closure with every element`() {
    _ = Observable.of(1, 2).bind { [log] in log.append("\($0)") }
    _ = Observable.of(3).bind(onNext: { [log] in log.append("\($0)") })
    _ = Infallible.of(4).bind { [log] in log.append("\($0)") }
    #expect(log.events == ["1", "2", "3", "4"])
  }

  @Test func `bind(with:) holds its object weakly`() {
    let (log, subject) = (log, PublishSubject<Int>())
    let isReleased = isReleased { token in
      _ = subject.bind(with: token) { log.append("\(type(of: $0)) \($1)") }
      _ = subject.asInfallible(onErrorJustReturn: 0).bind(with: token) { log.append("\($1)") }
      subject.onNext(1)
    }
    subject.onNext(2)
    #expect(isReleased)
    #expect(log.events == ["Token 1", "1"])
  }

  @Test func `bind passes the sequence to a function`() {
    let observable = Observable.just(1)
    #expect(observable.bind { $0 === observable })
    #expect(observable.bind(to: { source in { source === $0 } }, curriedArgument: observable))
    #expect(Infallible.just(1).bind { $0.asObservable().recorded() } == "1 |")
  }

  @Test func `an ended binding releases its closures while its disposable is retained`() {
    var subscriptions: [any Disposable] = []
    let isReleased = isReleased { token in
      let observer = AnyObserver<Int> { _ in token.hold() }
      subscriptions.append(Observable.just(1).bind(to: observer))
      subscriptions.append(Observable.just(1).bind { _ in token.hold() })
    }
    #expect(isReleased)
    #expect(subscriptions.count == 2)
  }

  @Test func `disposal ends a binding`() {
    let (subject, relay) = (PublishSubject<Int>(), BehaviorRelay(value: 0))
    let subscription = subject.bind(to: relay)
    subject.onNext(1)
    subscription.dispose()
    subject.onNext(2)
    #expect(relay.value == 1)
    #expect(!subject.hasObservers)
  }
}
