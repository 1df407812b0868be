/// The receiver of a source's or an operator's events: two closures and their lifetime.
///
/// A closed lifetime delivers nothing, so stateless operators need no flags. They pass `end` on,
/// and only its first call reaches the subscriber. When a call of `end` returns, the lifetime is
/// closed. An operator that delays its end runs the source in a child lifetime.
@frozen @usableFromInline package struct Observer<Element> {
  /// The lifetime of the subscription.
  @usableFromInline package let lifetime: Lifetime
  /// Delivers an element.
  @usableFromInline package let next: (Element) -> Void
  /// Ends the subscription: with an error, or with completion when the argument is nil.
  @usableFromInline package let end: ((any Error)?) -> Void

  @inlinable package init(
    _ lifetime: Lifetime, next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void
  ) {
    self.lifetime = lifetime
    self.next = next
    self.end = end
  }

  /// Returns an observer of other elements with the same lifetime and terminal.
  @inlinable package func with<Input>(_ next: @escaping (Input) -> Void) -> Observer<Input> {
    Observer<Input>(lifetime, next: next, end: end)
  }

  /// Delivers an element and completes, unless the delivery has ended the subscription.
  @inlinable package func last(_ element: Element) {
    next(element)
    if !lifetime.isDisposed { end(nil) }
  }

  /// Runs `body`; an error that `body` throws ends the subscription.
  @inlinable @inline(__always) package func attempt(_ body: () throws -> Void) {
    do { try body() } catch { fail(end, error) }
  }

  /// Runs the observable that `make` returns; an error that `make` throws ends the subscription.
  ///
  /// Nothing runs when `make` itself has ended the subscription.
  @inlinable package func runResult(of make: () throws -> Observable<Element>) {
    attempt {
      let source = try make()
      if !lifetime.isDisposed { source.start(self) }
    }
  }
}

/// Calls `end`; not inlined, so that the error path does not enlarge each stage.
@inline(never) @usableFromInline func fail(_ end: ((any Error)?) -> Void, _ error: any Error) {
  end(error)
}

/// A receiver of events.
public protocol ObserverType<Element> {
  /// The type of the elements.
  associatedtype Element

  /// Receives one event; no event follows an error or a completion.
  func on(_ event: Event<Element>)
}

extension ObserverType {
  /// Receives an element.
  @inlinable public func onNext(_ element: Element) { on(.next(element)) }

  /// Receives an error, which is the last event.
  @inlinable public func onError(_ error: any Error) { on(.error(error)) }

  /// Receives the completion, which is the last event.
  @inlinable public func onCompleted() { on(.completed) }

  /// Returns an observer that forwards to this one, without its type.
  @inlinable public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

  /// Returns an observer of `Input` that sends the results of `transform` to this observer.
  ///
  /// An error that `transform` throws is sent as the error event.
  @preconcurrency public func mapObserver<Input>(
    _ transform: @escaping @Sendable (Input) throws -> Element
  ) -> AnyObserver<Input> {
    AnyObserver(next: { self.on(Event.next($0).map(transform)) }, end: { self.on(.end($0)) })
  }
}

/// A type-erased observer.
///
/// Copies share one observer. An observer may be handed to another thread together with the
/// elements that it receives there.
@frozen public struct AnyObserver<Element>: ObserverType {
  @usableFromInline let next: (Element) -> Void
  @usableFromInline let end: ((any Error)?) -> Void

  /// A closure that receives each event.
  public typealias EventHandler = @Sendable (Event<Element>) -> Void

  /// Calls `eventHandler` with each event.
  @preconcurrency @inlinable public init(eventHandler: @escaping EventHandler) {
    next = { eventHandler(.next($0)) }
    end = { eventHandler(.end($0)) }
  }

  /// Creates an observer that forwards to `observer`.
  @inlinable public init<Observer: ObserverType>(_ observer: Observer)
  where Observer.Element == Element {
    if let observer = observer as? AnyObserver<Element> {
      self = observer
    } else {
      next = { observer.on(.next($0)) }
      end = { observer.on(.end($0)) }
    }
  }

  @inlinable init(next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void) {
    self.next = next
    self.end = end
  }

  /// Receives one event.
  @inlinable public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): next(element)
    case .error(let error): end(error)
    case .completed: end(nil)
    }
  }

  /// Receives an element.
  @inlinable public func onNext(_ element: Element) { next(element) }

  /// Receives an error, which is the last event.
  @inlinable public func onError(_ error: any Error) { end(error) }

  /// Receives the completion, which is the last event.
  @inlinable public func onCompleted() { end(nil) }

  /// Returns this observer.
  @inlinable public func asObserver() -> AnyObserver<Element> { self }
}

// The subscription that made the closures guards the state that they reach.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}
