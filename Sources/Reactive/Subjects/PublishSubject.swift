/// A subject that delivers each element to the current observers.
///
/// An observer that subscribes after the end receives the terminal.
public final class PublishSubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Adds no state to the superclass.

  /// Creates a subject without observers.
  @inlinable public init() { super.init(ObserverHub()) }

  /// Returns this subject, which is an observer.
  public func asObserver() -> PublishSubject<Element> { self }
}
