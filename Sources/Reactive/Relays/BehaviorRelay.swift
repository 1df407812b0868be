/// A relay with a current value: a new observer receives the value, and then every later one.
///
/// A relay cannot end. The thread that sends or subscribes delivers the values. The relay is
/// Sendable when its elements are.
public final class BehaviorRelay<Element>: ObservableType {
  @usableFromInline package let replayingHub: ReplayingHub<Element>

  /// Creates a relay whose current value is `value`.
  @inlinable public init(value: Element) { replayingHub = ReplayingHub(value: value) }

  deinit { replayingHub.hub.abandon() }

  /// The current value.
  @inlinable public var value: Element {
    guard let last = replayingHub.last else { preconditionFailure("A behavior relay has a value.") }
    return last
  }

  /// Makes `value` the current value and delivers it to all observers.
  @inlinable public func accept(_ value: Element) {
    replayingHub.hub.track(self) { replayingHub.next(value) }
  }

  /// Subscribes `observer`, which receives the current value and every later one.
  @inlinable public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }

  /// Returns an observable of the current value and every later one.
  @inlinable public func asObservable() -> Observable<Element> {
    Observable(.hub) { [replayingHub] in replayingHub.add($0, replaysAfterEnd: false) }
  }
}

// The hub has its own lock and atomics.
extension BehaviorRelay: @unchecked Sendable where Element: Sendable {}
