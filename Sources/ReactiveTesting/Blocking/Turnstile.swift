import Foundation
import Reactive

/// Where the thread that made it waits until it is opened.
///
/// The main thread runs its run loop meanwhile; any other sleeps.
final class Turnstile: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isOfMainQueue = MainScheduler.isCurrent

  /// Lets the waiting thread go on.
  func open() {
    semaphore.signal()
    // The run loop does not see the semaphore: something must make it turn.
    if isOfMainQueue { DispatchQueue.main.async {} }
  }

  /// Waits until it is opened.
  ///
  /// - Parameter timeout: in seconds.
  /// - Throws: `RxError.timeout`; `BlockingError.insideMainQueue` when nothing that waits for the main
  ///   queue could run.
  func wait(timeout: TimeInterval?) throws {
    guard isOfMainQueue else {
      let result = semaphore.wait(timeout: timeout.map { .now() + $0 } ?? .distantFuture)
      if result == .timedOut { throw RxError.timeout }
      return
    }
    if isOpen { return }
    guard Self.canRunMainQueue() else { throw BlockingError.insideMainQueue }
    let deadline = timeout.map(Date.init(timeIntervalSinceNow:)) ?? .distantFuture
    while !isOpen {
      if Date() >= deadline { throw RxError.timeout }
      _ = RunLoop.main.run(mode: .default, before: deadline)
    }
  }

  /// Whether it was opened; true once.
  private var isOpen: Bool { semaphore.wait(timeout: .now()) == .success }

  /// Whether the run loop serves the main queue when it is run from here.
  ///
  /// It does not from inside of a block of that queue, and nothing tells, so it is tried: a block that
  /// can run does so within a few turns of the loop. Under `dispatchMain()` the queue is served
  /// without the main thread, so always from inside.
  private static func canRunMainQueue() -> Bool {
    guard Thread.isMainThread else { return false }
    let hasRun = Locked(false)
    DispatchQueue.main.async { hasRun.withLock { $0 = true } }
    for _ in 0..<100 {
      _ = RunLoop.main.run(mode: .default, before: Date())
      if hasRun.withLock({ $0 }) { return true }
    }
    return false
  }
}
