/// A subject's face as an observer and an observable.
public protocol SubjectType: ObservableType {
  /// What it is as an observer.
  associatedtype Observer: ObserverType

  /// This subject as an observer.
  func asObserver() -> Observer
}

/// Delivers each element to everybody who observes at that moment.
///
/// Elements are delivered on the thread that sends them, to observers in the order they came. An
/// observer that comes after the end receives the end. Sending from within an observer delivers
/// nested, depth first. One thread at a time should send; from several the subject stays safe, but its
/// observers hear two things at once.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, ObserverType,
  Cancelable, @unchecked Sendable
{
  // The hub has a lock and atomics of its own.
  @usableFromInline let hub: Hub<Element>

  /// A subject that nobody observes yet.
  @inlinable public init() {
    let hub = Hub<Element>()
    self.hub = hub
    super.init(.direct) { down in if !hub.add(down) { down.end(hub.ended ?? nil) } }
  }

  deinit { hub.abandon() }

  /// Whether somebody observes.
  public var hasObservers: Bool { hub.hasObservers }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { hub.isDisposed }

  /// Delivers an event.
  @inlinable public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): hub.next(element)
    case .error(let error): hub.end(error)
    case .completed: hub.end(nil)
    }
  }

  /// Delivers an element.
  @inlinable public func onNext(_ element: Element) { hub.next(element) }

  /// This subject as an observer.
  public func asObserver() -> PublishSubject<Element> { self }

  /// Lets go of all observers without telling them; who comes later receives `RxError.disposed`.
  public func dispose() { hub.dispose() }
}
