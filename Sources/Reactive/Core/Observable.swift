/// Something that can be turned into an observable.
public protocol ObservableConvertibleType<Element> {
  /// The type of the elements.
  associatedtype Element

  /// Returns an observable of the same elements.
  func asObservable() -> Observable<Element>
}

/// An observable sequence; all operators are defined on this protocol.
public protocol ObservableType<Element>: CombinableType, BindableType
where SequenceKind == ObservableKind, Combined == Observable<Element>, SelectorError == any Error {
  /// Subscribes `observer`, which receives events until an error, a completion or disposal.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// Returns an observable that subscribes to this sequence for each of its observers.
  public func asObservable() -> Observable<Element> {
    Observable(.direct) { down in
      let source = HandMadeSource(down)
      let observer = AnyObserver(next: { source.next($0) }, end: { source.end($0) })
      down.lifetime.add(subscribe(observer))
    }
  }

  /// Runs the source for one observer; the operators are built on this closure.
  @inlinable package var run: (Observer<Element>) -> Void { asObservable().run }
}

/// A sequence of events over time: elements, then at most one error or completion.
///
/// Nothing happens before a subscription. Each subscription is independent of the others, unless an
/// operator like `share` joins them. The thread of the source delivers the events;
/// `observe(on:)` changes the thread. The full contract is in <doc:Contract>.
public class Observable<Element>: ObservableType {
  /// The properties of an observable that are known without a subscription.
  @usableFromInline package enum Shape {
    /// Runs on the current-thread trampoline, like the results of most operators.
    case producer
    /// Runs on the subscribing thread at once: subjects and relays.
    case direct
    /// Emits one element and completes.
    case just(Element)
    /// Completes at once.
    case empty
  }

  @usableFromInline package final let run: (Observer<Element>) -> Void
  @usableFromInline final let kind: ShapeKind

  @inlinable package init(
    _ kind: ShapeKind = .producer, _ run: @escaping (Observer<Element>) -> Void
  ) {
    #if DEBUG || Tracing
    self.run = Streams.isTraced ? traced(run) : run
    #else
    // A condition here would keep the optimizer from merging the stages of a chain.
    self.run = run
    #endif
    self.kind = kind
    #if TRACE_RESOURCES
    Resources.incrementTotal()
    #endif
  }

  /// An observable that ends in the call that subscribes to it, and is not traced.
  @inlinable init(ending kind: ShapeKind, _ run: @escaping (Observer<Element>) -> Void) {
    self.run = run
    self.kind = kind
    #if TRACE_RESOURCES
    Resources.incrementTotal()
    #endif
  }

  #if TRACE_RESOURCES
  deinit { Resources.decrementTotal() }
  #endif

  /// The shape of this observable, known without a subscription.
  @inlinable package final var shape: Shape {
    switch kind {
    case .producer, .concatenation: .producer
    case .direct, .hub: .direct
    case .just: .just(unsafeDowncast(self, to: Just<Element>.self).element)
    case .empty: .empty
    }
  }

  /// What names this observable in traces; nil for most.
  @usableFromInline package var label: AnyHashable? { nil }

  /// The number of the kind that the module which made the observable knows; 0 for none.
  @usableFromInline package var kindNumber: UInt8 { 0 }

  /// Returns this observable.
  @inlinable public final func asObservable() -> Observable<Element> { self }

  /// Subscribes `observer`, which receives events until an error, a completion or disposal.
  @inlinable public final func subscribe<Observer: ObserverType>(_ observer: Observer)
    -> any Disposable where Observer.Element == Element
  {
    let observer = AnyObserver(observer)
    return start(Sink(next: observer.next, end: observer.end))
  }

  /// Subscribes `sink`, and returns its lifetime as the subscription.
  @inlinable @discardableResult package final func start(_ sink: Sink<Element>) -> any Disposable {
    start(kind == .hub ? sink.unguarded : sink.observer)
    return sink.lifetime
  }

  /// Runs this observable for `down`, on the trampoline where its kind requires that.
  ///
  /// As in RxSwift, the result of most operators runs on the current thread's trampoline.
  /// Sources of several elements in it take turns, and run before the outermost call returns.
  @inlinable package final func start(_ down: Observer<Element>) {
    switch kind {
    case .producer, .concatenation: Trampoline.run { run(down) }
    default: run(down)
    }
  }
}

// Immutable; the state that `run` reaches is guarded by the operators that made it. The conformance
// does not require Sendable elements: an element that changes threads is handed over, and with a
// conditional conformance Swift 6 mode cannot infer `Observable.merge(first, second)` beside the
// instance method `merge()`.
extension Observable: @unchecked Sendable {}

/// A shape without its element.
///
/// `Observable` stores this and not a `Shape`: the release of a generic value looks its type up.
@frozen @usableFromInline package enum ShapeKind: Equatable {
  case producer, direct, just, empty
  /// Direct; nodes of a hub, which guard the observer, deliver all elements.
  case hub
  /// A producer whose inner observables a surrounding concatenation can run itself.
  case concatenation
}

/// An observable of one element.
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

/// The last observer of a subscription: it delivers nothing once the lifetime is closed.
///
/// The sink is not part of the lifetime. It is released with its source: a reference to the
/// lifetime of an ended subscription keeps nothing else alive.
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

  // A closure that captures a single object reference allocates no memory.
  @inlinable var observer: Observer<Element> {
    Observer(lifetime, next: { self.next($0) }, end: { self.end($0) })
  }

  /// An observer without a check for each element.
  ///
  /// It is for sources that deliver nothing once the lifetime is closed.
  @inlinable var unguarded: Observer<Element> {
    Observer(lifetime, next: onNext, end: { self.end($0) })
  }

  @inlinable func next(_ element: Element) { if !lifetime.isClosed { onNext(element) } }

  @inlinable func end(_ error: (any Error)?) {
    guard lifetime.close() else { return }
    onEnd(error)
    lifetime.release()
  }
}

/// Keeps one value of a subscription, like the accumulator of `scan`.
@usableFromInline package final class Ref<Value> {
  @exclusivity(unchecked) @usableFromInline var stored: Value

  @inlinable package var value: Value {
    @inline(__always) get { stored }
    @inline(__always) set {
      if _isPOD(Value.self) {
        stored = newValue
        return
      }
      var replaced = newValue
      swap(&stored, &replaced)
      // Released after the change: the replaced value may have a `deinit` that comes back here.
      withExtendedLifetime(replaced) {}
    }
    @inline(__always) _modify { yield &stored }
  }

  @inlinable package init(_ value: Value) { stored = value }
}
