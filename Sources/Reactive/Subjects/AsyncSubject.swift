/// Delivers its last element when it completes, and nothing before; after that to each new observer.
///
/// A subject that completes without an element delivers the completion alone; one that fails, the
/// error alone.
///
///     onNext     -a--b--c-|
///     observers  ---------(c|)
public final class AsyncSubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Has a lock of its own.
  private let last = Locked<Element?>(nil)

  /// A subject without an element.
  public init() { super.init(Multicast(capacity: 1), replaysAfterEnd: true) }

  /// Makes `element` the last one.
  override public func onNext(_ element: Element) {
    if hub.ended == nil { _ = last.replace(with: element) }
  }

  override func end(_ error: (any Error)?) {
    guard let last = last.replace(with: nil), error == nil, let multicast else {
      return super.end(error)
    }
    multicast.complete(with: last)
  }

  /// Lets go of all observers and elements without telling; who comes later receives
  /// `RxError.disposed`.
  override public func dispose() {
    super.dispose()
    _ = last.replace(with: nil)
  }

  /// This subject as an observer.
  public func asObserver() -> AsyncSubject<Element> { self }
}
