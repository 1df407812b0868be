/// A subject that delivers its latest element to each new observer, and then every later one.
///
/// An observer that subscribes after the end receives the terminal only.
public final class BehaviorSubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Adds no state to the superclass, whose `ReplayingHub` keeps the latest element and replays it.

  /// Creates a subject whose latest element is `value`.
  @inlinable public init(value: Element) {
    super.init(ReplayingHub(value: value), replaysAfterEnd: false)
  }

  /// Returns the latest element.
  ///
  /// - Throws: error with which the subject has failed, or `RxError.disposed`.
  public func value() throws -> Element {
    if let ended = hub.ended, let error = ended { throw error }
    guard let last = replayingHub?.last else { throw RxError.disposed(object: self) }
    return last
  }

  /// Returns this subject, which is an observer.
  public func asObserver() -> BehaviorSubject<Element> { self }
}
