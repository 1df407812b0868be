/// A subject that cannot end: it delivers its last elements, up to a number, to each new observer, and
/// then all that follow.
///
/// Elements are delivered on the thread that sends or subscribes. Memory grows with the elements that
/// are there, never with the number allowed. It may be handed to any thread when its elements may.
public final class ReplayRelay<Element>: ObservableType {
  private let multicast: Multicast<Element>

  private init(capacity: Int) { multicast = Multicast(capacity: capacity) }

  /// A relay that replays up to `bufferSize` elements; a negative size is a programmer's error and
  /// traps.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    precondition(bufferSize >= 0, "ReplayRelay: bufferSize is \(bufferSize).")
    return ReplayRelay(capacity: bufferSize)
  }

  /// A relay that replays every element.
  public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(capacity: .max) }

  deinit { multicast.hub.abandon() }

  /// Delivers `element` to all and remembers it.
  public func accept(_ element: Element) {
    multicast.hub.track(self) { multicast.next(element) }
  }

  /// Subscribes `observer`, which receives what is remembered and every element from now on.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }

  /// This relay as an observable.
  public func asObservable() -> Observable<Element> {
    Observable(.hub) { [multicast] in multicast.add($0, replaysAfterEnd: false) }
  }
}

// The multicast hub has a lock and atomics of its own.
extension ReplayRelay: @unchecked Sendable where Element: Sendable {}
