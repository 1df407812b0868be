import Foundation
import Testing

/// Runs `body` on `count` threads at once, and waits until all have returned.
///
/// Records an issue when a thread runs longer than `seconds`.
func onThreads(
  _ count: Int,
  within seconds: Double = 300,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (_ index: Int) -> Void
) {
  let running = DispatchGroup()
  let start = DispatchSemaphore(value: 0)
  for index in 0..<count {
    running.enter()
    let thread = Thread {
      start.wait()
      body(index)
      running.leave()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }
  for _ in 0..<count { start.signal() }
  if running.wait(timeout: .now() + seconds) == .timedOut {
    Issue.record("Stuck for \(seconds) seconds.", sourceLocation: sourceLocation)
  }
}

/// Runs `body` on another thread and waits until it has returned.
func onAnotherThread(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () -> Void
) {
  onThreads(1, sourceLocation: sourceLocation) { _ in body() }
}

/// Runs `operation`; records an issue and cancels it when it has not returned within `seconds`.
func withDeadline<Result: Sendable>(
  _ seconds: Double = 300,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      Issue.record("Stuck for \(seconds) seconds.", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}

/// Opens after `count` calls of `open()`.
final class Latch: Sendable {
  private let group = DispatchGroup()

  init(_ count: Int = 1) { for _ in 0..<count { group.enter() } }

  func open() { group.leave() }

  /// Blocks the thread until the latch is open.
  func wait(
    within seconds: Double = 300,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    if group.wait(timeout: .now() + seconds) == .timedOut {
      Issue.record("Stuck for \(seconds) seconds.", sourceLocation: sourceLocation)
    }
  }

  /// Suspends the task until the latch is open.
  func opened(
    within seconds: Double = 300,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.wait(within: seconds, sourceLocation: sourceLocation)
        continuation.resume()
      }
    }
  }
}
