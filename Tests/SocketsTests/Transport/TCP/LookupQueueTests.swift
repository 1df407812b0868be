import TestSupport
import Testing

@testable import Sockets

@Suite("The queue of look-ups", .workerPool) struct LookupQueueTests {
  private final class LookupHarness {
    var queue: LookupQueue

    init(concurrent: Int, threads: Int) {
      queue = LookupQueue(.init(concurrent: concurrent, threads: threads))
    }

    /// Requests a name; a started thread takes its look-up at once.
    func ask(_ host: String) -> (running: LookupQueue.Lookup?, failures: [LookupQueue.Failure]) {
      let action = queue.add(Resolver.Query { _ in }, for: .init(host: host, port: 1))
      return (action.startsThread ? queue.next() : nil, action.failures)
    }
  }

  @Test func `look-ups run up to the limit, and a slow one makes room for another`() throws {
    let harness = LookupHarness(concurrent: 2, threads: 3)
    let first = try #require(harness.ask("a").running)
    _ = try #require(harness.ask("b").running)
    #expect(harness.ask("c").running == nil && harness.queue.threads == 2)
    #expect(harness.queue.becameSlow(first).startsThread)
    #expect(harness.queue.next()?.name.host == "c")
    #expect(harness.queue.threads == 3 && harness.queue.slowThreads == 1)
  }

  @Test func `a look-up is marked slow once, and not after its answer`() throws {
    let harness = LookupHarness(concurrent: 1, threads: 2)
    let first = try #require(harness.ask("a").running)
    _ = harness.queue.becameSlow(first)
    _ = harness.queue.becameSlow(first)
    #expect(harness.queue.slowThreads == 1)
    #expect(harness.queue.finished(first).threadContinues)
    _ = harness.queue.becameSlow(first)
    #expect(harness.queue.slowThreads == 0)
  }

  @Test func `a replaced thread ends with its slow look-up`() throws {
    let harness = LookupHarness(concurrent: 1, threads: 2)
    let slow = try #require(harness.ask("a").running)
    _ = harness.queue.becameSlow(slow)
    let other = try #require(harness.ask("b").running)
    #expect(!harness.queue.finished(slow).threadContinues)
    #expect(harness.queue.threads == 1)
    #expect(harness.queue.finished(other).threadContinues)
    #expect(harness.queue.next() == nil && harness.queue.threads == 0)
  }

  @Test func `queued and new look-ups fail when every thread is slow`() throws {
    let harness = LookupHarness(concurrent: 2, threads: 2)
    let slow = [try #require(harness.ask("a").running), try #require(harness.ask("b").running)]
    #expect(harness.ask("c").failures.isEmpty)
    #expect(harness.queue.becameSlow(slow[0]).failures.isEmpty)
    let failed = harness.queue.becameSlow(slow[1]).failures
    #expect(failed.map(\.error) == [.tooManyLookups(host: "c", limit: 2)])
    #expect(harness.ask("d").failures.map(\.error) == [.tooManyLookups(host: "d", limit: 2)])
    // A request for a name with a running look-up still waits for it.
    #expect(harness.ask("a").failures.isEmpty)
    #expect(harness.queue.finished(slow[0]).queries.count == 2)
    #expect(harness.queue.next() == nil)
    #expect(harness.ask("e").running != nil)
  }

  @Test func `queued look-ups fail without a thread, unless another thread serves them`() throws {
    let harness = LookupHarness(concurrent: 2, threads: 2)
    let error = TransportError.system(errno: 11, operation: "pthread_create")
    #expect(harness.queue.add(Resolver.Query { _ in }, for: .init(host: "a", port: 1)).startsThread)
    #expect(harness.queue.threadFailed(error).failures.map(\.error) == [error])
    #expect(harness.queue.threads == 0)
    let running = try #require(harness.ask("b").running)
    #expect(harness.queue.add(Resolver.Query { _ in }, for: .init(host: "c", port: 1)).startsThread)
    #expect(harness.queue.threadFailed(error).failures.isEmpty)
    #expect(harness.queue.finished(running).threadContinues)
    #expect(harness.queue.next()?.name.host == "c")
  }
}
