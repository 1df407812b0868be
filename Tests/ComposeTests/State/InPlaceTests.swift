import Dispatch
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

/// The right alone; what a composer makes of it is StateBoxTests'.
@Suite("The right to reduce in place", .workerPool(limit: 300)) struct InPlaceTests {
  private final class Counter: @unchecked Sendable {
    // Protected by the right.
    var count = 0
  }

  @Test func `is one thread's at a time`() async {
    let (place, counter) = (InPlace(), Counter())
    let isOver = await onThread {
      let threads = DispatchGroup()
      for _ in 0..<8 {
        threads.enter()
        Thread.detachNewThread {
          for _ in 0..<5_000 {
            place.take()
            counter.count += 1
            place.give()
          }
          threads.leave()
        }
      }
      return threads.wait(timeout: .now() + 60) == .success
    }
    #expect(isOver && counter.count == 40_000)
  }

  @Test func `who waits goes on when it is given back, and has not taken it`() async {
    let (place, notes) = (InPlace(), Notes<String>())
    let isTaken = DispatchSemaphore(value: 0)
    async let holding: Void = onThread {
      place.take()
      isTaken.signal()
      // Long enough for the other one to come, in most runs.
      Thread.sleep(forTimeInterval: 0.01)
      notes.add("given")
      place.give()
    }
    await onThread {
      isTaken.waitInTime()
      place.wait()
      notes.add("went on")
      // Nobody has it: it can be taken, and nobody waits for nothing.
      place.wait()
      place.take()
      place.give()
    }
    await holding
    #expect(notes.all == ["given", "went on"])
  }

  @Test func `who waits for itself stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchQueue.global().asyncAfter(deadline: .now() + 20) { exit(0) }
      let place = InPlace()
      place.take()
      place.wait()
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("was read inside its reducer"))
  }
}
