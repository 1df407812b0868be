/// The shared values of a composer that goes on from the state of another one, beside it: a dependency.
///
/// Each ``SharedValue`` has one copy, for the composer and its children. It begins with the value in
/// the state, and is not kept in a storage: what the composer writes does not reach the other one. Code
/// that uses the ``SharedValue`` itself reaches that one.
package final class SharedValueCopies: DependencyKey, Sendable {
  package static var liveValue: SharedValueCopies? { nil }

  package static func testValue(in test: RunningTest) -> SharedValueCopies?? { .some(nil) }

  private struct Copy: Sendable {
    // Weak, because it may have a storage of its own, which a later one needs.
    weak var original: (any AnyObject & Sendable)?
    let copy: any AnyObject & Sendable
    /// The version of the value with which it began; nil for one that no state had.
    var version: Int?
  }

  private let copies = Locked<[ObjectIdentifier: Copy]>([:])
  /// The copies of the composer from whose state this one goes on.
  private let origin: SharedValueCopies?

  /// - Parameter origin: the copies of the composer from whose state another one goes on; nil when it has
  ///   the shared values themselves.
  package init(of origin: SharedValueCopies?) { self.origin = origin }

  /// Returns the copy of `shared`, which is made with its first use.
  ///
  /// Until the copy is written, it begins anew with the value of a part that is newer: in a step in which
  /// a child has written, the parent's part is still the old one.
  ///
  /// - Parameter part: the part in the state.
  func copy<Value>(of shared: SharedValue<Value>, for part: Shared<Value>) -> SharedValue<Value> {
    copies.withLock { copies in
      let key = ObjectIdentifier(shared)
      if var known = copies[key], known.original === shared,
        let copy = known.copy as? SharedValue<Value>
      {
        if let version = part.version, version > known.version ?? .min,
          copy.begin(with: part.value)
        {
          known.version = version
          copies[key] = known
        }
        return copy
      }
      let value = part.version == nil ? origin?.value(of: shared) ?? shared.value : part.value
      let copy = shared.copy(with: value)
      copies = copies.filter { $1.original != nil }
      copies[key] = Copy(original: shared, copy: copy, version: part.version)
      return copy
    }
  }

  private func value<Value>(of shared: SharedValue<Value>) -> Value? {
    let copy = copies.withLock { $0[ObjectIdentifier(shared)] }
    guard let copy, copy.original === shared else { return origin?.value(of: shared) }
    return (copy.copy as? SharedValue<Value>)?.value
  }
}
