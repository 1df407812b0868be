/// A type that is both an observer and an observable.
public protocol SubjectType: ObservableType {
  /// The type of the subject as an observer.
  associatedtype Observer: ObserverType

  /// Returns this subject as an observer.
  func asObserver() -> Observer
}

/// The superclass of all subjects: an observer that delivers its events to its own observers.
///
/// The thread that sends delivers the elements, to the observers in the order of their
/// subscriptions. An observer that sends delivers nested, depth first. One thread at a time should
/// send. With several sending threads a subject stays memory-safe, but an observer may receive two
/// events at once. Debug builds report both cases once for each subject, in a line on standard
/// error.
public class Subject<Element>: Observable<Element>, ObserverType, Cancelable, @unchecked Sendable {
  // The hub has its own lock and atomics.
  @usableFromInline final let hub: ObserverHub<Element>
  @usableFromInline final let replayingHub: ReplayingHub<Element>?

  @inlinable init(_ hub: ObserverHub<Element>) {
    self.hub = hub
    replayingHub = nil
    super.init(.hub) { down in if !hub.add(down) { down.end(hub.ended ?? nil) } }
  }

  @inlinable init(_ replayingHub: ReplayingHub<Element>, replaysAfterEnd: Bool) {
    hub = replayingHub.hub
    self.replayingHub = replayingHub
    super.init(.hub) { replayingHub.add($0, replaysAfterEnd: replaysAfterEnd) }
  }

  deinit { hub.abandon() }

  /// Whether the subject has an observer.
  public final var hasObservers: Bool { hub.hasObservers }

  /// Whether `dispose()` has been called.
  public final var isDisposed: Bool { hub.isDisposed }

  /// Delivers an event to all observers.
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

  /// Delivers an element to all observers.
  @inlinable public func onNext(_ element: Element) {
    hub.track(self) {
      if let replayingHub { replayingHub.next(element) } else { hub.next(element) }
    }
  }

  @usableFromInline func end(_ error: (any Error)?) { hub.end(error) }

  /// Releases all observers and elements without an event.
  ///
  /// Later observers receive `RxError.disposed`.
  public func dispose() {
    hub.dispose(of: self)
    replayingHub?.forget()
  }
}
