/// A subject that delivers only its last element, when it completes.
///
/// An observer that subscribes later receives the same element and the completion. A subject that
/// completes without an element delivers the completion only; one that fails delivers the error
/// only.
///
///     onNext     -a--b--c-|
///     observers  ---------(c|)
public final class AsyncSubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // `Locked` has its own lock.
  private let last = Locked<Element?>(nil)

  /// Creates a subject without an element.
  public init() { super.init(ReplayingHub(capacity: 1), replaysAfterEnd: true) }

  /// Remembers `element` as the last one; nothing is delivered before the completion.
  override public func onNext(_ element: Element) {
    hub.track(self) {
      if hub.ended != nil { return }
      _ = last.replace(with: element)
      // Another thread may have ended the subject meanwhile, which then keeps no element.
      if hub.ended != nil { _ = last.replace(with: nil) }
    }
  }

  override func end(_ error: (any Error)?) {
    guard error == nil, let replayingHub else {
      super.end(error)
      _ = last.replace(with: nil)
      return
    }
    replayingHub.complete { last.replace(with: nil) }
  }

  /// Releases all observers and elements without an event.
  ///
  /// Later observers receive `RxError.disposed`.
  override public func dispose() {
    super.dispose()
    _ = last.replace(with: nil)
  }

  /// Returns this subject, which is an observer.
  public func asObserver() -> AsyncSubject<Element> { self }
}
