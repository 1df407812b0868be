/// Delivers its latest element to each new observer, and then every element that follows.
///
/// After the end, a new observer receives only the end.
public final class BehaviorSubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Has no state of its own.

  /// A subject whose latest element is `value`.
  @inlinable public init(value: Element) {
    super.init(Multicast(value: value), replaysAfterEnd: false)
  }

  /// The latest element.
  ///
  /// - Throws: the error it has ended with, or `RxError.disposed`.
  public func value() throws -> Element {
    if let ended = hub.ended, let error = ended { throw error }
    guard let last = multicast?.last else { throw RxError.disposed(object: self) }
    return last
  }

  /// This subject as an observer.
  public func asObserver() -> BehaviorSubject<Element> { self }
}
