/// A subject's face as an observer and an observable.
public protocol SubjectType: ObservableType {
  /// What it is as an observer.
  associatedtype Observer: ObserverType

  /// This subject as an observer.
  func asObserver() -> Observer
}

/// What all subjects are: sent into at one end and observed at the other.
///
/// Elements are delivered on the thread that sends them, to observers in the order they came. Sending
/// from within an observer delivers nested, depth first. One thread at a time should send; from
/// several a subject stays safe, but its observers hear two things at once. Debug builds report either once for
/// each subject, in a line on standard error.
public class Subject<Element>: Observable<Element>, ObserverType, Cancelable, @unchecked Sendable {
  // The hub has a lock and atomics of its own.
  @usableFromInline final let hub: Hub<Element>
  @usableFromInline final let multicast: Multicast<Element>?

  @inlinable init(_ hub: Hub<Element>) {
    self.hub = hub
    multicast = nil
    super.init(.hub) { down in if !hub.add(down) { down.end(hub.ended ?? nil) } }
  }

  @inlinable init(_ multicast: Multicast<Element>, replaysAfterEnd: Bool) {
    hub = multicast.hub
    self.multicast = multicast
    super.init(.hub) { multicast.add($0, replaysAfterEnd: replaysAfterEnd) }
  }

  deinit { hub.abandon() }

  /// Whether somebody observes.
  public final var hasObservers: Bool { hub.hasObservers }

  /// Whether `dispose()` was called.
  public final var isDisposed: Bool { hub.isDisposed }

  /// Delivers an event.
  @inlinable public final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): onNext(element)
    case .error(let error): sendEnd(error)
    case .completed: sendEnd(nil)
    }
  }

  @inlinable final func sendEnd(_ error: (any Error)?) {
    hub.track(self) { end(error) }
  }

  /// Delivers an element.
  @inlinable public func onNext(_ element: Element) {
    hub.track(self) { if let multicast { multicast.next(element) } else { hub.next(element) } }
  }

  @usableFromInline func end(_ error: (any Error)?) { hub.end(error) }

  /// Lets go of all observers and elements without telling; who comes later receives
  /// `RxError.disposed`.
  public func dispose() {
    hub.dispose(of: self)
    multicast?.forget()
  }
}
