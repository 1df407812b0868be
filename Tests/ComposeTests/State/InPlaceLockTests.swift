import Dispatch
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

/// Tests `InPlaceLock` without a composer; `StateBoxTests` tests its use by a composer.
@Suite("InPlaceLock", .workerPool(limit: 300)) struct InPlaceLockTests {
  private final class Counter: @unchecked Sendable {
    // Protected by the lock under test.
    var count = 0
  }

  @Test func `one thread at a time holds an InPlaceLock`() async {
    let lock = InPlaceLock()
    let counter = Counter()
    let hasEnded = await onThread {
      let threads = DispatchGroup()
      for _ in 0..<8 {
        threads.enter()
        Thread.detachNewThread {
          for _ in 0..<5_000 {
            lock.lock()
            counter.count += 1
            lock.unlock()
          }
          threads.leave()
        }
      }
      return threads.wait(timeout: .now() + 60) == .success
    }
    #expect(hasEnded && counter.count == 40_000)
  }

  @Test func `a thread that waits for an InPlaceLock continues after unlock and does not hold it`()
    async
  {
    let lock = InPlaceLock()
    let events = EventRecorder<String>()
    let isLocked = DispatchSemaphore(value: 0)
    async let holding: Void = onThread {
      lock.lock()
      isLocked.signal()
      // Long enough for the other thread to wait, in most runs.
      Thread.sleep(forTimeInterval: 0.01)
      events.append("unlocked")
      lock.unlock()
    }
    await onThread {
      isLocked.waitInTime()
      lock.waitUntilUnlocked()
      events.append("continued")
      // The lock is free: waiting returns at once, and the lock can be taken.
      lock.waitUntilUnlocked()
      lock.lock()
      lock.unlock()
    }
    await holding
    #expect(events.events == ["unlocked", "continued"])
  }

  @Test func `a thread that waits for an InPlaceLock that it holds stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchQueue.global().asyncAfter(deadline: .now() + 20) { exit(0) }
      let lock = InPlaceLock()
      lock.lock()
      lock.waitUntilUnlocked()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("was read inside its reducer"))
  }
}
