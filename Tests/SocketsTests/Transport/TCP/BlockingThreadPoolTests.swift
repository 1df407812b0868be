import Dispatch
import TestSupport
import Testing

@testable import Sockets

@Suite("Threads for blocking calls", .workerPool)
struct BlockingThreadPoolTests {
  @Test func `blocking jobs run concurrently up to the limit, and others wait`() async {
    let workers = BlockingThreadPool(name: "test", limit: 2)
    let gate = DispatchSemaphore(value: 0)
    let counts = Watched((running: 0, most: 0, done: 0))
    for _ in 0..<6 {
      workers.perform {
        counts.update { counts in
          counts.running += 1
          counts.most = max(counts.most, counts.running)
        }
        _ = gate.wait(timeout: .now() + 60)
        counts.update { counts in
          counts.running -= 1
          counts.done += 1
        }
      } orFail: { error in
        Issue.record("\(error)")
      }
    }
    await counts.wait { $0.running == 2 }
    for _ in 0..<6 { gate.signal() }
    await counts.wait { $0.done == 6 }
    #expect(counts.value.most == 2)
  }

  @Test func `a thread pool starts threads again after they have ended`() async {
    let workers = BlockingThreadPool(name: "test", limit: 1)
    let done = Watched(0)
    for number in 1...20 {
      workers.perform {
        done.update { $0 += 1 }
      } orFail: { error in
        Issue.record("\(error)")
      }
      await done.wait { $0 == number }
    }
  }
}
