import Synchronization

/// A relay without a value: it delivers each element to the current observers.
///
/// A relay cannot end. The thread that sends delivers the elements; one thread at a time should
/// send, as with a subject. The relay is Sendable when its elements are.
public final class PublishRelay<Element>: ObservableType {
  // `receive` is written once, before `isAttached` becomes true.
  @usableFromInline package let hub = ObserverHub<Element>()
  @usableFromInline let isAttached = Atomic(false)
  @exclusivity(unchecked) @usableFromInline var receive: ((Element) -> Void)?
  @exclusivity(unchecked) private var receiver: AnyObject?

  /// Creates a relay without observers.
  @inlinable public init() {}

  deinit { hub.abandon() }

  /// Delivers `element` to all observers.
  @inlinable public func accept(_ element: Element) {
    if isAttached.load(ordering: .acquiring), let receive { return receive(element) }
    hub.track(self) { hub.next(element) }
  }

  /// Subscribes `observer`, which receives every later element.
  @inlinable public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }

  /// Returns an observable of the later elements.
  @inlinable public func asObservable() -> Observable<Element> {
    Observable(.hub) { [hub] down in _ = hub.add(down) }
  }

  /// The object that receives the elements instead of the observers; nil when none is attached.
  package var attached: AnyObject? { hub.lock.withLock { receiver } }

  /// Attaches a receiver, which gets every element instead of the observers.
  ///
  /// `receive` delivers an element to the observers through `hub` when it handles the element. A
  /// composer processes its actions in this way. The relay keeps the receiver alive. At most one
  /// can be attached: a second call returns the first receiver and attaches nothing.
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

// The hub has its own lock and atomics; the receiver is written once.
extension PublishRelay: @unchecked Sendable where Element: Sendable {}
