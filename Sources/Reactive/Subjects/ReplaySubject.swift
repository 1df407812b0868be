/// Delivers its last elements, up to a number, to each new observer, and then all that follow; after
/// the end too, before the terminal.
///
/// Memory grows with the elements that are there, never with the number allowed.
public final class ReplaySubject<Element>: Subject<Element>, SubjectType, @unchecked Sendable {
  // Has no state of its own.

  /// A subject that replays up to `bufferSize` elements; a negative size is a programmer's error and
  /// traps.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    precondition(bufferSize >= 0, "ReplaySubject: bufferSize is \(bufferSize).")
    return ReplaySubject(Multicast(capacity: bufferSize), replaysAfterEnd: true)
  }

  /// A subject that replays every element.
  public static func createUnbounded() -> ReplaySubject<Element> { create(bufferSize: .max) }

  /// This subject as an observer.
  public func asObserver() -> ReplaySubject<Element> { self }
}
