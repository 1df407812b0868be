/// Something that can be turned into an observable.
public protocol ObservableConvertibleType<Element> {
  /// What its elements are.
  associatedtype Element

  /// The observable.
  func asObservable() -> Observable<Element>
}

/// Something that can be observed; all operators are defined on it.
public protocol ObservableType<Element>: CombinableType, BindableType
where SequenceKind == ObservableKind, Combined == Observable<Element>, SelectorError == any Error {
  /// Subscribes `observer`: it receives events until an error, a completion or disposal.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// An observable that subscribes here.
  public func asObservable() -> Observable<Element> {
    Observable(.direct) { down in
      let source = HandMadeSource(down)
      let observer = AnyObserver(next: { source.next($0) }, end: { source.end($0) })
      down.lifetime.add(subscribe(observer))
    }
  }

  /// What the operators are built on: runs the source for one observer.
  @inlinable package var run: (Observer<Element>) -> Void { asObservable().run }
}

/// A sequence of events over time: elements, then at most one error or completion.
///
/// Nothing happens before a subscription, and each subscription is independent of the others unless
/// an operator like `share` says otherwise. Events arrive on whichever thread the source delivers on;
/// `observe(on:)` changes that. The full contract is in <doc:Contract>.
public class Observable<Element>: ObservableType {
  /// What can be told of an observable without subscribing to it.
  @usableFromInline package enum Shape {
    /// Runs on the current-thread trampoline, like everything that an operator makes.
    case producer
    /// Runs where it is subscribed: subjects and relays.
    case direct
    /// One element, then completion.
    case just(Element)
    /// Completion.
    case empty
  }

  @usableFromInline package final let run: (Observer<Element>) -> Void
  @usableFromInline final let kind: Kind

  @inlinable package init(_ kind: Kind = .producer, _ run: @escaping (Observer<Element>) -> Void) {
    #if DEBUG || Tracing
    self.run = Streams.isTraced ? traced(run) : run
    #else
    // A choice here would keep the optimizer from merging the stages of a chain.
    self.run = run
    #endif
    self.kind = kind
    #if TRACE_RESOURCES
    Resources.incrementTotal()
    #endif
  }

  /// An observable that ends as soon as it is subscribed to, and is not traced.
  @inlinable init(ending kind: Kind, _ run: @escaping (Observer<Element>) -> Void) {
    self.run = run
    self.kind = kind
    #if TRACE_RESOURCES
    Resources.incrementTotal()
    #endif
  }

  #if TRACE_RESOURCES
  deinit { Resources.decrementTotal() }
  #endif

  /// What can be told of this observable without subscribing to it.
  @inlinable package final var shape: Shape {
    switch kind {
    case .producer, .concatenation: .producer
    case .direct, .hub: .direct
    case .just: .just(unsafeDowncast(self, to: Just<Element>.self).element)
    case .empty: .empty
    }
  }

  /// Itself.
  @inlinable public final func asObservable() -> Observable<Element> { self }

  /// Subscribes `observer`: it receives events until an error, a completion or disposal.
  @inlinable public final func subscribe<Observer: ObserverType>(_ observer: Observer)
    -> any Disposable where Observer.Element == Element
  {
    let observer = AnyObserver(observer)
    return start(Sink(next: observer.next, end: observer.end))
  }

  /// Subscribes `sink`; its lifetime is that of the subscription.
  @inlinable @discardableResult package final func start(_ sink: Sink<Element>) -> any Disposable {
    start(kind == .hub ? sink.unguarded : sink.observer)
    return sink.lifetime
  }

  /// Begins a subscription of its own.
  ///
  /// As in RxSwift, whatever an operator made runs on the current thread's trampoline: sources of
  /// many elements inside take turns, and run before this returns.
  @inlinable package final func start(_ down: Observer<Element>) {
    switch kind {
    case .producer, .concatenation: Trampoline.enter { run(down) }
    default: run(down)
    }
  }
}

// Immutable; what `run` reaches is guarded by the operators it was made of. Not only where elements
// are Sendable: elements that hop threads are handed over, and with a conditional conformance Swift 6
// mode cannot infer `Observable.merge(first, second)` beside the instance method `merge()`.
extension Observable: @unchecked Sendable {}

/// A shape without the element: what is generic costs a look-up of its type each time it is released.
@frozen @usableFromInline package enum Kind: Equatable {
  case producer, direct, just, empty
  /// Direct, and all elements come through nodes of a hub, which guard the observer.
  case hub
  /// A producer whose observables a chain around it can run itself.
  case concatenation
}

/// One element, then completion.
@usableFromInline final class Just<Element>: Observable<Element>, @unchecked Sendable {
  // Immutable.
  @usableFromInline let element: Element

  @inlinable init(_ element: Element) {
    self.element = element
    super.init(ending: .just) { down in
      down.next(element)
      down.end(nil)
    }
  }
}

/// The last observer of a subscription: it lets nothing through once the lifetime is closed.
///
/// It is an object of its own, released with what delivers to it: whoever keeps the lifetime of an
/// ended subscription keeps nothing else.
@usableFromInline package final class Sink<Element>: @unchecked Sendable {
  // Immutable; the lifetime guards itself.
  @usableFromInline package let lifetime: Lifetime
  @usableFromInline let onNext: (Element) -> Void
  @usableFromInline let onEnd: ((any Error)?) -> Void

  @inlinable package init(
    next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void,
    disposed: (() -> Void)? = nil
  ) {
    #if DEBUG || Tracing
    lifetime = .ofSubscription(disposed)
    #else
    lifetime = if let disposed { ActionDisposable(disposed) } else { Lifetime() }
    #endif
    onNext = next
    onEnd = end
  }

  // A closure that captures one object and nothing else needs no memory of its own.
  @inlinable var observer: Observer<Element> {
    Observer(lifetime, next: { self.next($0) }, end: { self.end($0) })
  }

  /// For what delivers nothing once the lifetime is closed: a call and a test less for each element.
  @inlinable var unguarded: Observer<Element> {
    Observer(lifetime, next: onNext, end: { self.end($0) })
  }

  @inlinable func next(_ element: Element) { if !lifetime.isClosed { onNext(element) } }

  @inlinable func end(_ error: (any Error)?) {
    guard lifetime.close() else { return }
    onEnd(error)
    lifetime.didDispose()
    lifetime.release()
  }
}

/// Keeps one value of a subscription, like the seed of `scan`.
@usableFromInline package final class Cell<Value> {
  @exclusivity(unchecked) @usableFromInline package var value: Value

  @inlinable package init(_ value: Value) { self.value = value }
}
