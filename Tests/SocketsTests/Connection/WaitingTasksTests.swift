import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("Waiting tasks", .workerPool)
struct WaitingTasksTests {
  /// A request of a task, to observe its release.
  private final class Request: Sendable {
    private let kept: Locked<Int>

    init(_ kept: Locked<Int>) {
      self.kept = kept
      kept.withLock { $0 += 1 }
    }

    deinit { kept.withLock { $0 -= 1 } }
  }

  private typealias Queue = Locked<WaitingTasks<Request, Int>>

  private let queue = Queue(WaitingTasks())
  private let kept = Locked(0)

  /// Each task is cancelled before the next one starts.
  private func comeAndGo(_ count: Int) async {
    for _ in 0..<count {
      _ = try? await withCheckedThrowingContinuation { continuation in
        let task = WaitingTask<Int>()
        queue.withLock { queue in
          queue.add(Request(kept), for: task, continuation)
          return task.cancel()
        }?.resume(returning: 0)
      }
    }
  }

  /// Starts a task, and returns when it waits.
  private func begin() async -> Task<Int, any Error> {
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let (queue, kept) = (queue, kept)
    let task = Task {
      try await withCheckedThrowingContinuation { continuation in
        queue.withLock { $0.add(Request(kept), for: WaitingTask(), continuation) }
        signal.finish()
      }
    }
    for await _ in begun {}
    return task
  }

  @Test func `cancelled waiting tasks are removed`() async {
    await comeAndGo(1_000)
    #expect(kept.withLock { $0 } == 1)
  }

  @Test func `cancelled tasks behind a waiting task are removed, and the others keep their order`()
    async throws
  {
    let first = await begin()
    await comeAndGo(1_000)
    let second = await begin()
    await comeAndGo(1_000)
    #expect(kept.withLock { $0 } <= 8)
    for answer in [1, 2] {
      queue.withLock { $0.popFirst() }?.continuation.resume(returning: answer)
    }
    #expect(try await [first.value, second.value] == [1, 2])
    #expect(queue.withLock { $0.first() } == nil)
    #expect(kept.withLock { $0 } == 0)
  }
}
