/// A relay that replays its last elements, up to a number, to each new observer.
///
/// A relay cannot end. The thread that sends or subscribes delivers the elements. Memory grows with
/// the remembered elements, not with the permitted number. The relay is Sendable when its elements
/// are.
public final class ReplayRelay<Element>: ObservableType {
  private let replayingHub: ReplayingHub<Element>

  private init(capacity: Int) { replayingHub = ReplayingHub(capacity: capacity) }

  /// Returns a relay that replays up to `bufferSize` elements.
  ///
  /// A negative size is a programmer error and traps.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    precondition(bufferSize >= 0, "ReplayRelay: bufferSize is \(bufferSize).")
    return ReplayRelay(capacity: bufferSize)
  }

  /// Returns a relay that replays every element.
  public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(capacity: .max) }

  deinit { replayingHub.hub.abandon() }

  /// Remembers `element` and delivers it to all observers.
  public func accept(_ element: Element) {
    replayingHub.hub.track(self) { replayingHub.next(element) }
  }

  /// Subscribes `observer`, which receives the remembered elements and every later one.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }

  /// Returns an observable of the remembered elements and every later one.
  public func asObservable() -> Observable<Element> {
    Observable(.hub) { [replayingHub] in replayingHub.add($0, replaysAfterEnd: false) }
  }
}

// The hub has its own lock and atomics.
extension ReplayRelay: @unchecked Sendable where Element: Sendable {}
