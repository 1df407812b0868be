/// The shared values of a composer that goes on from the state of another one, beside it: a dependency.
///
/// Each ``SharedValue`` has one copy, for the composer and its children. It begins with the value in
/// the state, and is not kept in a storage: what the composer writes does not reach the other one.
package final class SharedValueCopies: DependencyKey, Sendable {
  package static var liveValue: SharedValueCopies? { nil }

  package static func testValue(in test: RunningTest) -> SharedValueCopies?? { .some(nil) }

  private struct Copy {
    // Held, because its identity is the key.
    let original: any AnyObject & Sendable
    let copy: any AnyObject & Sendable
  }

  private let copies = Locked<[ObjectIdentifier: Copy]>([:])

  package init() {}

  /// Returns the copy of `shared`, which is made with its first use.
  ///
  /// - Parameter value: the value in the state; nil when the state has not been that of a composer.
  func copy<Value>(
    of shared: SharedValue<Value>, beginningWith value: Value?
  ) -> SharedValue<Value> {
    copies.withLock { copies in
      if let known = copies[ObjectIdentifier(shared)]?.copy as? SharedValue<Value> { return known }
      let copy = shared.copy(with: value ?? shared.value)
      copies[ObjectIdentifier(shared)] = Copy(original: shared, copy: copy)
      return copy
    }
  }
}
