/// Delivers each element to everybody who observes at that moment.
///
/// An observer that comes after the end receives the end.
public final class PublishSubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Has no state of its own.

  /// A subject that nobody observes yet.
  @inlinable public init() { super.init(Hub()) }

  /// This subject as an observer.
  public func asObserver() -> PublishSubject<Element> { self }
}
