import Synchronization

/// The closure of a printed scenario: runs its action at one call, and returns its argument.
package final class ActingOnce: Sendable {
  private let calls = Atomic(0)
  private let call: Int
  private let body: @Sendable (Int) throws -> Void

  package init(at call: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    self.call = call
    self.body = body
  }

  package func callAsFunction(_ value: Int) throws -> Int {
    if calls.add(1, ordering: .relaxed).oldValue == call { try body(value) }
    return value
  }
}
