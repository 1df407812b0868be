import Foundation
import Reactive

/// Lets the thread that created it wait until another thread signals.
///
/// The main thread runs its run loop while it waits; another thread sleeps.
final class BlockingWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isOnMainQueue = MainScheduler.isCurrent

  /// Wakes the waiting thread.
  func signal() {
    semaphore.signal()
    // The run loop does not observe the semaphore: this block wakes it.
    if isOnMainQueue { DispatchQueue.main.async {} }
  }

  /// Waits until `signal()` is called.
  ///
  /// - Parameter timeout: maximum wait in seconds; nil waits without a limit.
  /// - Throws: `RxError.timeout`; `BlockingError.insideMainQueue` when the main queue cannot run
  ///   blocks while this thread waits.
  func wait(timeout: TimeInterval?) throws {
    guard isOnMainQueue else {
      let result = semaphore.wait(timeout: timeout.map { .now() + $0 } ?? .distantFuture)
      if result == .timedOut { throw RxError.timeout }
      return
    }
    if consumeSignal() { return }
    guard Self.canRunMainQueue() else { throw BlockingError.insideMainQueue }
    let deadline = timeout.map(Date.init(timeIntervalSinceNow:)) ?? .distantFuture
    while !consumeSignal() {
      if Date() >= deadline { throw RxError.timeout }
      _ = RunLoop.main.run(mode: .default, before: deadline)
    }
  }

  /// Waits until `signal()` is called, also where the main queue cannot run blocks meanwhile.
  func waitForSignal() {
    do {
      try wait(timeout: nil)
    } catch {
      semaphore.wait()
    }
  }

  /// Returns true once after `signal()` was called.
  private func consumeSignal() -> Bool { semaphore.wait(timeout: .now()) == .success }

  /// Whether running the run loop here runs blocks of the main queue.
  ///
  /// Inside a block of the main queue it does not. No API reports that, so this enqueues a block:
  /// it runs within a few turns of the loop, or not at all. Under `dispatchMain()` another thread
  /// runs the main queue, so that all its code is inside a block.
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
