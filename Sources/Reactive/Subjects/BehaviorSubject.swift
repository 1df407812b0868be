/// Delivers its latest element to each new observer, and then every element that follows.
///
/// Elements are delivered on the thread that sends or subscribes. After the end, a new observer
/// receives only the end.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType,
  Cancelable, @unchecked Sendable
{
  // The hub has a lock and atomics of its own.
  @usableFromInline let multicast: Multicast<Element>

  /// A subject whose latest element is `value`.
  @inlinable public init(value: Element) {
    let multicast = Multicast(value: value)
    self.multicast = multicast
    super.init(.direct) { multicast.add($0, replaysAfterEnd: false) }
  }

  deinit { multicast.hub.abandon() }

  /// Whether somebody observes.
  public var hasObservers: Bool { multicast.hub.hasObservers }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { multicast.hub.isDisposed }

  /// The latest element.
  ///
  /// - Throws: the error it has ended with, or `RxError.disposed`.
  public func value() throws -> Element {
    if let ended = multicast.hub.ended, let error = ended { throw error }
    guard let last = multicast.last else { throw RxError.unknown }
    return last
  }

  /// Delivers an event.
  @inlinable public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): multicast.next(element)
    case .error(let error): multicast.hub.end(error)
    case .completed: multicast.hub.end(nil)
    }
  }

  /// Delivers an element, which is the latest from now on.
  @inlinable public func onNext(_ element: Element) { multicast.next(element) }

  /// This subject as an observer.
  public func asObserver() -> BehaviorSubject<Element> { self }

  /// Lets go of all observers without telling them; who comes later receives `RxError.disposed`.
  public func dispose() { multicast.hub.dispose() }
}
