import TestSupport
import Testing

@testable import Sockets

@Suite("The queue of look-ups", .workerPool) struct LookupQueueTests {
  private final class Stage {
    var queue: LookupQueue

    init(concurrent: Int, threads: Int) {
      queue = LookupQueue(.init(concurrent: concurrent, threads: threads))
    }

    /// Asks for a name; a thread that is started takes its look-up at once.
    func ask(_ host: String) -> (running: LookupQueue.Lookup?, failures: [LookupQueue.Failure]) {
      let action = queue.add(Resolver.Query { _ in }, for: .init(host: host, port: 1))
      return (action.startsThread ? queue.next() : nil, action.failures)
    }
  }

  @Test func `look-ups run up to the limit, and a slow one makes room for another`() throws {
    let stage = Stage(concurrent: 2, threads: 3)
    let first = try #require(stage.ask("a").running)
    _ = try #require(stage.ask("b").running)
    #expect(stage.ask("c").running == nil && stage.queue.threads == 2)
    #expect(stage.queue.becameSlow(first).startsThread)
    #expect(stage.queue.next()?.name.host == "c")
    #expect(stage.queue.threads == 3 && stage.queue.slowThreads == 1)
  }

  @Test func `a look-up is slow once, and not after its answer`() throws {
    let stage = Stage(concurrent: 1, threads: 2)
    let first = try #require(stage.ask("a").running)
    _ = stage.queue.becameSlow(first)
    _ = stage.queue.becameSlow(first)
    #expect(stage.queue.slowThreads == 1)
    #expect(stage.queue.finished(first).threadContinues)
    _ = stage.queue.becameSlow(first)
    #expect(stage.queue.slowThreads == 0)
  }

  @Test func `a thread whose place is taken ends with its slow look-up`() throws {
    let stage = Stage(concurrent: 1, threads: 2)
    let slow = try #require(stage.ask("a").running)
    _ = stage.queue.becameSlow(slow)
    let other = try #require(stage.ask("b").running)
    #expect(!stage.queue.finished(slow).threadContinues)
    #expect(stage.queue.threads == 1)
    #expect(stage.queue.finished(other).threadContinues)
    #expect(stage.queue.next() == nil && stage.queue.threads == 0)
  }

  @Test func `when every thread is slow, those that wait and those that come fail`() throws {
    let stage = Stage(concurrent: 2, threads: 2)
    let slow = [try #require(stage.ask("a").running), try #require(stage.ask("b").running)]
    #expect(stage.ask("c").failures.isEmpty)
    #expect(stage.queue.becameSlow(slow[0]).failures.isEmpty)
    let failed = stage.queue.becameSlow(slow[1]).failures
    #expect(failed.map(\.error) == [.tooManyLookups(host: "c", limit: 2)])
    #expect(stage.ask("d").failures.map(\.error) == [.tooManyLookups(host: "d", limit: 2)])
    // Who asks for a name that is being looked up still waits for that.
    #expect(stage.ask("a").failures.isEmpty)
    #expect(stage.queue.finished(slow[0]).queries.count == 2)
    #expect(stage.queue.next() == nil)
    #expect(stage.ask("e").running != nil)
  }

  @Test func `without a thread those that wait fail, unless another one serves them`() throws {
    let stage = Stage(concurrent: 2, threads: 2)
    let error = TransportError.system(errno: 11, operation: "pthread_create")
    #expect(stage.queue.add(Resolver.Query { _ in }, for: .init(host: "a", port: 1)).startsThread)
    #expect(stage.queue.threadFailed(error).failures.map(\.error) == [error])
    #expect(stage.queue.threads == 0)
    let running = try #require(stage.ask("b").running)
    #expect(stage.queue.add(Resolver.Query { _ in }, for: .init(host: "c", port: 1)).startsThread)
    #expect(stage.queue.threadFailed(error).failures.isEmpty)
    #expect(stage.queue.finished(running).threadContinues)
    #expect(stage.queue.next()?.name.host == "c")
  }
}
