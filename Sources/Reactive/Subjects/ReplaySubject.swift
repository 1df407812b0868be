/// Delivers its last elements, up to a number, to each new observer, and then all that follow; after
/// the end too, before the terminal.
///
/// Elements are delivered on the thread that sends or subscribes. Memory grows with the elements that
/// are there, never with the number allowed.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType,
  Cancelable, @unchecked Sendable
{
  // The hub has a lock and atomics of its own.
  private let multicast: Multicast<Element>

  private init(capacity: Int) {
    let multicast = Multicast<Element>(capacity: capacity)
    self.multicast = multicast
    super.init(.direct) { multicast.add($0, replaysAfterEnd: true) }
  }

  /// A subject that replays up to `bufferSize` elements; a negative size is a programmer's error and
  /// traps.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    precondition(bufferSize >= 0, "ReplaySubject: bufferSize is \(bufferSize).")
    return ReplaySubject(capacity: bufferSize)
  }

  /// A subject that replays every element.
  public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(capacity: .max) }

  deinit { multicast.hub.abandon() }

  /// Whether somebody observes.
  public var hasObservers: Bool { multicast.hub.hasObservers }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { multicast.hub.isDisposed }

  /// Delivers an event.
  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): multicast.next(element)
    case .error(let error): multicast.hub.end(error)
    case .completed: multicast.hub.end(nil)
    }
  }

  /// Delivers an element and remembers it.
  public func onNext(_ element: Element) { multicast.next(element) }

  /// This subject as an observer.
  public func asObserver() -> ReplaySubject<Element> { self }

  /// Lets go of all observers and elements without telling; who comes later receives
  /// `RxError.disposed`.
  public func dispose() {
    multicast.hub.dispose()
    multicast.forget()
  }
}
