/// A subject that cannot end and always has a value: it delivers its value to each new observer, and
/// then every value that follows.
///
/// Values are delivered on the thread that sends or subscribes. It may be handed to any thread when
/// its elements may.
public final class BehaviorRelay<Element>: ObservableType {
  @usableFromInline package let multicast: Multicast<Element>

  /// A relay with this value.
  @inlinable public init(value: Element) { multicast = Multicast(value: value) }

  deinit { multicast.hub.abandon() }

  /// The current value.
  @inlinable public var value: Element {
    guard let last = multicast.last else { preconditionFailure("A behavior relay has a value.") }
    return last
  }

  /// Makes `value` the current one and delivers it to all.
  @inlinable public func accept(_ value: Element) {
    multicast.hub.track(self) { multicast.next(value) }
  }

  /// Subscribes `observer`, which receives the current value and every one from now on.
  @inlinable public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }

  /// This relay as an observable.
  @inlinable public func asObservable() -> Observable<Element> {
    Observable(.hub) { [multicast] in multicast.add($0, replaysAfterEnd: false) }
  }
}

// The multicast hub has a lock and atomics of its own.
extension BehaviorRelay: @unchecked Sendable where Element: Sendable {}
