import Synchronization

/// What a closure of a printed scenario calls: it acts at one call, and returns what it is given.
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
