import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Idioms of subscriptions, bags, subjects and relays.

@Suite(.workerPool(limit: 300)) struct LifetimeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test func `a dispose bag ends its subscriptions`() {
    let subject = PublishSubject<Int>()
    var bag = DisposeBag()
    subject.subscribe(onNext: { _ in }).disposed(by: bag)
    bag.insert(subject.subscribe(), subject.subscribe())
    #expect(subject.hasObservers)
    bag = DisposeBag()
    #expect(!subject.hasObservers)
    withExtendedLifetime(bag) {}
  }

  @Test func `a subscription can be stored in a property`() {
    final class Player {
      var subscription: (any Disposable)?
      deinit { subscription?.dispose() }
    }
    let ticks = PublishSubject<Int>()
    var player: Player? = Player()
    player?.subscription = ticks.subscribe(onNext: { _ in })
    #expect(ticks.hasObservers)
    player = nil
    #expect(!ticks.hasObservers)
  }

  @Test func `a serial disposable replaces its subscription`() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let serial = SerialDisposable()
    serial.disposable = first.subscribe()
    serial.disposable = second.subscribe()
    #expect(!first.hasObservers)
    #expect(second.hasObservers)
    serial.dispose()
    #expect(!second.hasObservers)
  }

  @Test func `clean-up code can be a disposable`() {
    let isCancelled = BehaviorRelay(value: false)
    let request = Observable<Int>.create { _ in
      Disposables.create { isCancelled.accept(true) }
    }
    request.subscribe().dispose()
    #expect(isCancelled.value)
  }

  @Test func `every kind of subject emits as in RxSwift`() throws {
    let behavior = BehaviorSubject(value: 1)
    behavior.onNext(2)
    #expect(try behavior.value() == 2)
    let replay = ReplaySubject<Int>.create(bufferSize: 2)
    for number in 1...3 { replay.onNext(number) }
    replay.onCompleted()
    #expect(try replay.toBlocking().toArray() == [2, 3])
    let publish = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = publish.asObservable().subscribe(observer)
    publish.on(.next(1))
    publish.asObserver().onNext(2)
    #expect(observer.elements == [1, 2])
    subscription.dispose()
  }

  @Test func `relays hold state and send events`() {
    let state = BehaviorRelay<[String: Int]>(value: [:])
    var copy = state.value
    copy["a"] = 1
    state.accept(copy)
    #expect(state.value == ["a": 1])
    let events = PublishRelay<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = events.subscribe(observer)
    events.accept(1)
    #expect(observer.elements == [1])
    subscription.dispose()
  }

  @Test func `a relay can be bound to a relay, a subject and an observer`() throws {
    let source = BehaviorRelay(value: 1)
    let (relay, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    let subject = BehaviorSubject(value: 0)
    let bag = DisposeBag()
    source.bind(to: relay).disposed(by: bag)
    source.bind(to: optional).disposed(by: bag)
    source.bind(to: subject).disposed(by: bag)
    #expect(relay.value == 1)
    #expect(optional.value == 1)
    #expect(try subject.value() == 1)
  }

  @Test func `a switch statement handles the events of an observable`() {
    let log = BehaviorRelay<[String]>(value: [])
    _ = Observable.just(1).subscribe { event in
      switch event {
      case .next(let value): log.accept(log.value + ["\(value)"])
      case .error(let error): log.accept(log.value + ["\(error)"])
      case .completed: log.accept(log.value + ["completed"])
      }
    }
    #expect(log.value == ["1", "completed"])
  }

  @Test func `subscribe accepts closures for every event`() {
    let log = BehaviorRelay<[String]>(value: [])
    _ = Observable<Int>.error(AppError.offline).startWith(1).subscribe(
      onNext: { log.accept(log.value + ["\($0)"]) },
      onError: { log.accept(log.value + ["\($0)"]) },
      onCompleted: { log.accept(log.value + ["completed"]) },
      onDisposed: { log.accept(log.value + ["disposed"]) })
    #expect(log.value == ["1", "offline", "disposed"])
  }

  @Test func `a for-await loop iterates over values`() async throws {
    var numbers: [Int] = []
    for try await number in Observable.of(1, 2, 3).values { numbers.append(number) }
    #expect(numbers == [1, 2, 3])
    #expect(try await Single.just(1).value == 1)
  }

  @Test func `observables can be stored in properties, arrays and dictionaries`() throws {
    let routes: [String: Observable<Int>] = ["one": .just(1), "none": .empty(), "never": .never()]
    #expect(try routes["one"]?.toBlocking().single() == 1)
    let conditional: Observable<Int> = routes.isEmpty ? .never() : .just(3)
    #expect(try conditional.toBlocking().single() == 3)
  }
}
