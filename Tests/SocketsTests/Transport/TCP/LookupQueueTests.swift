import TestSupport
import Testing

@testable import Sockets

@Suite("The queue of look-ups", .workerPool) struct LookupQueueTests {
  private final class LookupHarness {
    var queue: LookupQueue

    init(concurrent: Int, threads: Int) {
      queue = LookupQueue(.init(concurrent: concurrent, threads: threads))
    }

    /// Requests a name.
    func ask(_ host: String) -> LookupQueue.Action {
      queue.add(Resolver.Query { _ in }, for: .init(host: host, port: 1))
    }

    /// Requests a name whose look-up runs at once.
    func run(_ host: String) throws -> LookupQueue.Lookup {
      let lookup = try #require(ask(host).lookup)
      #expect(lookup.name.host == host)
      return lookup
    }
  }

  @Test func `look-ups run up to the limit, and a slow one makes room for another`() throws {
    let harness = LookupHarness(concurrent: 2, threads: 3)
    let first = try harness.run("a")
    let second = try harness.run("b")
    #expect(harness.ask("c").lookup == nil)
    #expect(harness.queue.becameSlow(first).lookup?.name.host == "c")
    #expect(harness.queue.slowCount == 1)
    // Three threads are the limit.
    #expect(harness.ask("d").lookup == nil)
    #expect(harness.queue.becameSlow(second).lookup == nil)
    #expect(harness.queue.finished(first).next?.name.host == "d")
  }

  @Test func `a look-up is marked slow once, and not after its answer`() throws {
    let harness = LookupHarness(concurrent: 1, threads: 2)
    let first = try harness.run("a")
    _ = harness.queue.becameSlow(first)
    _ = harness.queue.becameSlow(first)
    #expect(harness.queue.slowCount == 1)
    _ = harness.queue.finished(first)
    _ = harness.queue.becameSlow(first)
    #expect(harness.queue.slowCount == 0)
  }

  @Test func `the thread of a slow look-up that was replaced runs no other one`() throws {
    let harness = LookupHarness(concurrent: 1, threads: 2)
    let slow = try harness.run("a")
    _ = harness.queue.becameSlow(slow)
    let other = try harness.run("b")
    #expect(harness.ask("c").lookup == nil)
    #expect(harness.queue.finished(slow).next == nil)
    #expect(harness.queue.finished(other).next?.name.host == "c")
  }

  @Test func `queued and new look-ups fail when every thread is slow`() throws {
    let harness = LookupHarness(concurrent: 2, threads: 2)
    let slow = [try harness.run("a"), try harness.run("b")]
    #expect(harness.ask("c").failures.isEmpty)
    #expect(harness.queue.becameSlow(slow[0]).failures.isEmpty)
    let failed = harness.queue.becameSlow(slow[1]).failures
    #expect(failed.map(\.error) == [.tooManyLookups(host: "c", limit: 2)])
    #expect(harness.ask("d").failures.map(\.error) == [.tooManyLookups(host: "d", limit: 2)])
    // A request for a name with a running look-up still waits for it.
    #expect(harness.ask("a").failures.isEmpty)
    let answered = harness.queue.finished(slow[0])
    #expect(answered.queries.count == 2 && answered.next == nil)
    _ = try harness.run("e")
  }

  @Test func `queued look-ups fail without a thread, unless another thread serves them`() throws {
    let harness = LookupHarness(concurrent: 2, threads: 2)
    let error = TransportError.system(errno: 11, operation: "pthread_create")
    let first = try harness.run("a")
    #expect(harness.queue.threadFailed(first, error).failures.map(\.error) == [error])
    let running = try harness.run("b")
    let second = try harness.run("c")
    #expect(harness.queue.threadFailed(second, error).failures.isEmpty)
    #expect(harness.queue.finished(running).next?.name.host == "c")
  }
}
