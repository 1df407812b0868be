import Dispatch
import Reactive

/// A value that tests can wait for, with a deadline and without sleeping.
public final class Watched<Value: Sendable>: Sendable {
  private let relay: BehaviorRelay<Value>
  private let changes = DispatchQueue(label: "changes of a watched value")

  /// Holds `value` at first.
  public init(_ value: Value) { relay = BehaviorRelay(value: value) }

  /// The current value.
  public var value: Value { relay.value }

  /// Changes the value; one change at a time.
  public func update(_ change: (inout Value) -> Void) {
    changes.sync {
      var value = relay.value
      change(&value)
      relay.accept(value)
    }
  }

  /// Waits until the value satisfies the condition.
  ///
  /// - Throws: ``NotReached`` after a minute.
  public func wait(until isSatisfied: @escaping @Sendable (Value) -> Bool) async throws {
    let reached = relay.asObservable().filter(isSatisfied).take(1)
      .timeout(.seconds(60), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
    do {
      for try await _ in reached.values { return }
    } catch RxError.timeout {
      throw NotReached(value: "\(value)")
    }
  }
}

/// A condition was not true in time.
public struct NotReached: Error {
  /// The last value, described.
  public let value: String
}
