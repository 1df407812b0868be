import Synchronization

/// A subject that cannot end: it delivers each element to everybody who observes at that moment.
///
/// Elements are delivered on the thread that sends them, one thread at a time, as with a subject. It may be handed to any thread when its
/// elements may.
public final class PublishRelay<Element>: ObservableType {
  // `receive` is written once, before `isAttached` says so.
  @usableFromInline package let hub = Hub<Element>()
  @usableFromInline let isAttached = Atomic(false)
  @exclusivity(unchecked) @usableFromInline var receive: ((Element) -> Void)?
  @exclusivity(unchecked) private var receiver: AnyObject?

  /// A relay that nobody observes yet.
  @inlinable public init() {}

  deinit { hub.abandon() }

  /// Delivers `element` to all.
  @inlinable public func accept(_ element: Element) {
    if isAttached.load(ordering: .acquiring), let receive { return receive(element) }
    hub.track(self) { hub.next(element) }
  }

  /// Subscribes `observer`, which receives every element from now on.
  @inlinable public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }

  /// This relay as an observable.
  @inlinable public func asObservable() -> Observable<Element> {
    Observable(.hub) { [hub] down in _ = hub.add(down) }
  }

  /// What the elements are handed to instead of the observers.
  package var attached: AnyObject? { hub.lock.withLock { receiver } }

  /// Hands every element to `receive` instead of the observers, which `receive` tells by `hub` when
  /// it gets to the element: how a composer is driven.
  ///
  /// The relay keeps `receiver` alive. There is one at most: a second call returns the first one's
  /// receiver and attaches nothing.
  @usableFromInline package func attach<Receiver: AnyObject>(
    _ make: () -> (Receiver, receive: (Element) -> Void)
  ) -> Receiver? {
    hub.lock.lock()
    if let receiver {
      hub.lock.unlock()
      return receiver as? Receiver
    }
    hub.lock.unlock()
    let (made, receive) = make()
    hub.lock.lock()
    defer { hub.lock.unlock() }
    if let receiver { return receiver as? Receiver }
    receiver = made
    self.receive = receive
    isAttached.store(true, ordering: .releasing)
    return made
  }
}

// The hub has a lock and atomics of its own; the receiver is written once.
extension PublishRelay: @unchecked Sendable where Element: Sendable {}
