import Reactive
import Testing

/// A value that tests can wait for, with a deadline and without sleeping.
public final class Watched<Value>: @unchecked Sendable {
  private struct Waiter {
    let isSatisfied: (Value) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var value: Value
    var waiters: [Int: Waiter] = [:]
    var nextID = 0
  }

  // Protected by its lock; conditions run while it is held and only read.
  private let state: Locked<State>

  /// Holds `value` at first.
  public init(_ value: Value) { state = Locked(State(value: value)) }

  /// The current value.
  public var value: Value { state.withLock { $0.value } }

  /// Changes the value, and resumes the tests whose condition it satisfies.
  public func update(_ change: (inout Value) -> Void) {
    let ready = state.withLock { state in
      change(&state.value)
      let ids = state.waiters.filter { $0.value.isSatisfied(state.value) }.map(\.key)
      return ids.compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in ready { waiter.continuation.resume(returning: true) }
  }

  /// Waits until the value satisfies the condition; records an issue after the deadline.
  public func wait(
    _ deadline: Duration = isSanitized ? .seconds(300) : .seconds(60),
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line,
    column: Int = #column,
    until isSatisfied: @escaping (Value) -> Bool
  ) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    // Weak: a cancelled task may live a little longer, and tests count objects.
    let watchdog = Task.detached { [weak self] in
      try await Task.sleep(for: deadline)
      self?.giveUp(id)
    }
    let isReached = await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if isSatisfied(state.value) { return true }
        state.waiters[id] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
        return false
      }
      if isThere { continuation.resume(returning: true) }
    }
    watchdog.cancel()
    if !isReached {
      let location = SourceLocation(
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column
      )
      let value = "\(value)".prefix(2_000)
      Issue.record("not reached within \(deadline): \(value)", sourceLocation: location)
    }
  }

  private func giveUp(_ id: Int) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
  }
}
