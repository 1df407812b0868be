/// What an operator or a source delivers to: two closures and the lifetime they belong to.
///
/// A closed lifetime lets nothing through, so stateless operators need no flags: they pass `end` on,
/// and whoever made it hears only the first call. When a call of `end` returns, the lifetime is
/// closed; an operator that puts its own end off gives the source a child.
@frozen @usableFromInline package struct Observer<Element> {
  /// The subscription this belongs to.
  @usableFromInline package let lifetime: Lifetime
  /// Delivers an element.
  @usableFromInline package let next: (Element) -> Void
  /// Ends: nil is completion.
  @usableFromInline package let end: ((any Error)?) -> Void

  @inlinable package init(
    _ lifetime: Lifetime, next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void
  ) {
    self.lifetime = lifetime
    self.next = next
    self.end = end
  }

  /// The same lifetime and terminal with other elements.
  @inlinable package func with<Input>(_ next: @escaping (Input) -> Void) -> Observer<Input> {
    Observer<Input>(lifetime, next: next, end: end)
  }

  /// Delivers an element and completes, unless that element was the end already.
  @inlinable package func last(_ element: Element) {
    next(element)
    if !lifetime.isDisposed { end(nil) }
  }

  /// Runs `body`; an error it throws is the terminal.
  @inlinable @inline(__always) package func attempt(_ body: () throws -> Void) {
    do { try body() } catch { fail(end, error) }
  }
}

/// Not inlined: what is rare shall not make each stage larger.
@inline(never) @usableFromInline func fail(_ end: ((any Error)?) -> Void, _ error: any Error) {
  end(error)
}

/// Receives events.
public protocol ObserverType<Element> {
  /// What its elements are.
  associatedtype Element

  /// Receives one event. Nothing arrives after an error or a completion.
  func on(_ event: Event<Element>)
}

extension ObserverType {
  /// Receives an element.
  @inlinable public func onNext(_ element: Element) { on(.next(element)) }

  /// Receives an error: the end.
  @inlinable public func onError(_ error: any Error) { on(.error(error)) }

  /// Receives the completion: the end.
  @inlinable public func onCompleted() { on(.completed) }

  /// This observer without its type.
  @inlinable public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

  /// An observer of `Input` that hands this one what `transform` makes of each element.
  @preconcurrency public func mapObserver<Input>(
    _ transform: @escaping @Sendable (Input) throws -> Element
  ) -> AnyObserver<Input> {
    AnyObserver(next: { self.on(Event.next($0).map(transform)) }, end: { self.on(.end($0)) })
  }
}

/// An observer of any kind.
///
/// Copies share one observer. It may be handed to another thread together with what it is given.
@frozen public struct AnyObserver<Element>: ObserverType {
  @usableFromInline let next: (Element) -> Void
  @usableFromInline let end: ((any Error)?) -> Void

  /// What is called with each event.
  public typealias EventHandler = @Sendable (Event<Element>) -> Void

  /// Calls `eventHandler` with each event.
  @preconcurrency @inlinable public init(eventHandler: @escaping EventHandler) {
    next = { eventHandler(.next($0)) }
    end = { eventHandler(.end($0)) }
  }

  /// Forwards to `observer`.
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

  /// Receives an error: the end.
  @inlinable public func onError(_ error: any Error) { end(error) }

  /// Receives the completion: the end.
  @inlinable public func onCompleted() { end(nil) }

  /// Itself.
  @inlinable public func asObserver() -> AnyObserver<Element> { self }
}

// What its closures reach is guarded by the subscription that made them.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}
