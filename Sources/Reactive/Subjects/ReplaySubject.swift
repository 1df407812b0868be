/// A subject that replays its last elements, up to a number, to each new observer.
///
/// An observer that subscribes after the end receives the elements before the terminal. Memory
/// grows with the remembered elements, not with the permitted number.
public final class ReplaySubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Adds no state to the superclass.

  /// Returns a subject that replays up to `bufferSize` elements.
  ///
  /// A negative size is a programmer error and traps.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    precondition(bufferSize >= 0, "ReplaySubject: bufferSize is \(bufferSize).")
    return ReplaySubject(ReplayingHub(capacity: bufferSize), replaysAfterEnd: true)
  }

  /// Returns a subject that replays every element.
  public static func createUnbounded() -> ReplaySubject<Element> { create(bufferSize: .max) }

  /// Returns this subject, which is an observer.
  public func asObserver() -> ReplaySubject<Element> { self }
}
