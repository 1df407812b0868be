import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Operators and types that apps add to the library's.

protocol OptionalType: SendableMetatype {
  associatedtype Wrapped
  var optional: Wrapped? { get }
}

extension Optional: OptionalType {
  var optional: Wrapped? { self }
}

extension ObservableType {
  func mapToVoid() -> Observable<Void> { map { _ in } }

  func mapTo<Value: Sendable>(_ value: Value) -> Observable<Value> { map { _ in value } }

  func asDriverOnErrorJustComplete() -> Driver<Element> {
    asDriver(onErrorRecover: { _ in Driver.empty() })
  }

  func catchErrorJustComplete() -> Observable<Element> { self.catch { _ in Observable.empty() } }

  func withPrevious() -> Observable<(Element?, Element)> {
    scan([Element]()) { Array($0.suffix(1)) + [$1] }.map {
      ($0.count > 1 ? $0.first : nil, $0[$0.count - 1])
    }
  }

  func flatMapWeak<Object: AnyObject & Sendable, Result>(
    _ object: Object, _ selector: @escaping @Sendable (Object, Element) -> Observable<Result>
  ) -> Observable<Result> {
    flatMapLatest { [weak object] element in
      object.map { selector($0, element) } ?? .empty()
    }
  }
}

extension ObservableType where Element: OptionalType {
  func filterNil() -> Observable<Element.Wrapped> { compactMap { $0.optional } }
}

extension ObservableType where Element == Bool {
  func not() -> Observable<Bool> { map { !$0 } }
}

extension ObservableType where Element == String {
  func trimmed() -> Observable<String> { map { $0.trimmingCharacters(in: .whitespaces) } }
}

extension ObservableType where Element: Collection & SendableMetatype {
  func mapMany<Result>(_ transform: @escaping @Sendable (Element.Element) -> Result) -> Observable<
    [Result]
  > { map { $0.map(transform) } }
}

extension SharedSequenceConvertibleType {
  func mapToVoid() -> SharedSequence<SharingStrategy, Void> { map { _ in } }
}

extension SharedSequenceConvertibleType where Element == Bool {
  func not() -> SharedSequence<SharingStrategy, Bool> { map { !$0 } }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  func toggled() -> Signal<Bool> { scan(false) { isOn, _ in !isOn } }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  func asCompletableIgnoringElement() -> Completable {
    primitiveSequence.flatMapCompletable { _ in .empty() }
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == Int {
  func doubled() -> Single<Int> { map { $0 * 2 } }
}

extension ObserverType where Element == Void {
  func onNext() { onNext(()) }
}

extension BehaviorRelay where Element: RangeReplaceableCollection {
  func append(_ element: Element.Element) { accept(value + [element]) }
}

func latest<First: ObservableType, Second: ObservableType>(_ first: First, _ second: Second)
  -> Observable<(First.Element, Second.Element)>
{ Observable.combineLatest(first, second) }

protocol Repository {
  associatedtype Item
  var items: Observable<[Item]> { get }
  func find(_ id: Int) -> Single<Item?>
}

struct NumberRepository: Repository {
  let items: Observable<[Int]> = .just([1, 2, 3])

  func find(_ id: Int) -> Single<Int?> { items.map { $0.first { $0 == id } }.asSingle() }
}

final class UserDefaultsRelay<Value: Sendable>: Sendable {
  private let relay: BehaviorRelay<Value>
  var observable: Observable<Value> { relay.asObservable() }
  var value: Value { relay.value }

  init(_ value: Value) { relay = BehaviorRelay(value: value) }

  func set(_ value: Value) { relay.accept(value) }
}

struct Countdown: ObservableType {
  typealias Element = Int
  let start: Int

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Int {
    for number in (1...start).reversed() { observer.onNext(number) }
    observer.onCompleted()
    return Disposables.create()
  }
}

final class Collector<Element>: ObserverType {
  private(set) var elements: [Element] = []
  private(set) var isCompleted = false

  func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): elements.append(element)
    case .error: break
    case .completed: isCompleted = true
    }
  }
}

@MainActor
@Suite(.workerPool) struct CustomOperatorTests {
  @Test func `custom operators can extend every observable`() throws {
    let numbers = Observable.of(1, 2)
    #expect(try numbers.mapToVoid().toBlocking().toArray().count == 2)
    #expect(try numbers.mapTo("x").toBlocking().toArray() == ["x", "x"])
    #expect(
      try numbers.withPrevious().map { "\($0 ?? 0)\($1)" }.toBlocking().toArray() == ["01", "12"])
    #expect(
      try Observable<Int>.error(AppError.offline).catchErrorJustComplete().toBlocking().toArray()
        == [])
    let token = Token()
    let found = try numbers.flatMapWeak(token) { _, number in .just(number) }
      .toBlocking().toArray()
    withExtendedLifetime(token) { #expect(found == [1, 2]) }
  }

  @Test func `custom operators can extend observables of some elements`() throws {
    #expect(try Observable.of(1, nil, 2).filterNil().toBlocking().toArray() == [1, 2])
    #expect(try Observable.of(true).not().toBlocking().single() == false)
    #expect(try Observable.of(" a ").trimmed().toBlocking().single() == "a")
    #expect(try Observable.of([1, 2]).mapMany { $0 * 2 }.toBlocking().single() == [2, 4])
  }

  @Test func `custom operators can extend drivers, signals and singles`() throws {
    onTestClock { scheduler in
      let flags = scheduler.createObserver(Bool.self)
      _ = Driver.just(true).not().drive(flags)
      let voids = scheduler.createObserver(Int.self)
      _ = Driver.just(true).mapToVoid().map { 1 }.drive(voids)
      let toggles = scheduler.createObserver(Bool.self)
      _ = Signal.of(1, 2).toggled().emit(to: toggles)
      let ended = scheduler.createObserver(Int.self)
      _ = Observable<Int>.error(AppError.offline).asDriverOnErrorJustComplete().drive(ended)
      scheduler.start()
      #expect(flags.elements == [false])
      #expect(voids.elements == [1])
      #expect(toggles.elements == [true, false])
      #expect(ended.events.map(\.value) == [.completed])
    }
    #expect(try Single.just(2).doubled().toBlocking().single() == 4)
    #expect(
      try Single.just(2).asCompletableIgnoringElement().asObservable().toBlocking().toArray()
        .isEmpty)
  }

  @Test func `observers and relays can be extended`() {
    let subject = PublishSubject<Void>()
    let collector = Collector<Int>()
    let subscription = subject.map { 1 }.subscribe(collector)
    subject.onNext()
    subject.onCompleted()
    #expect(collector.elements == [1])
    #expect(collector.isCompleted)
    subscription.dispose()
    let relay = BehaviorRelay(value: [1])
    relay.append(2)
    #expect(relay.value == [1, 2])
  }

  @Test func `generic functions and protocols can use observables`() throws {
    let pair = latest(BehaviorRelay(value: 1), BehaviorSubject(value: "a"))
    #expect(try pair.map { "\($0)\($1)" }.take(1).toBlocking().single() == "1a")
    let repository = NumberRepository()
    #expect(try repository.find(2).toBlocking().single() == 2)
    #expect(try repository.items.map(\.count).toBlocking().single() == 3)
    let setting = UserDefaultsRelay(1)
    setting.set(2)
    #expect(try setting.observable.take(1).toBlocking().single() == 2)
  }

  @Test func `observables and observers can have custom types`() throws {
    #expect(try Countdown(start: 3).map { $0 * 2 }.toBlocking().toArray() == [6, 4, 2])
    let collector = Collector<Int>()
    _ = Countdown(start: 2).bind(to: collector)
    #expect(collector.elements == [2, 1])
  }
}

private final class Token: Sendable {}
