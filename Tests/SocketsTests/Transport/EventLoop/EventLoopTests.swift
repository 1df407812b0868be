import Glibc
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct EventLoopTests {
  @Test func `jobs of one thread run in order on the loop`() async throws {
    try await withLoop { loop in
      let seen = Watched<[Int]>([])
      let strays = Watched(0)
      for number in 0..<1_000 {
        loop.execute {
          if !loop.isCurrent { strays.update { $0 += 1 } }
          seen.update { $0.append(number) }
        }
      }
      await seen.wait { $0.count == 1_000 }
      let isInOrder = seen.value == Array(0..<1_000)
      #expect(isInOrder)
      #expect(strays.value == 0)
      #expect(!loop.isCurrent)
    }
  }

  @Test func `jobs of many threads all run, in each thread's order`() async throws {
    try await withLoop { loop in
      let seen = Watched<[Int: [Int]]>([:])
      await withTaskGroup(of: Void.self) { group in
        for producer in 0..<8 {
          group.addTask {
            for number in 0..<2_000 {
              loop.execute { seen.update { $0[producer, default: []].append(number) } }
            }
          }
        }
      }
      await seen.wait { $0.values.allSatisfy { $0.count == 2_000 } && $0.count == 8 }
      let areInOrder = seen.value.values.allSatisfy { $0 == Array(0..<2_000) }
      #expect(areInOrder)
    }
  }

  @Test func `a turn of the loop runs events, then jobs, then its end`() async throws {
    try await withLoop { loop in
      let order = Watched<[String]>([])
      let ends = DescriptorPair()
      let handler = ClosureEventHandler { _ in
        loop.endOfTurn { order.update { $0.append("end") } }
        loop.execute { order.update { $0.append("job") } }
        order.update { $0.append("event") }
      }
      let registration = await loop.run {
        try? loop.register(ends.first, [.readable, .edgeTriggered], handler)
      }
      ends.signal()
      await order.wait { $0.count == 3 }
      #expect(order.value == ["event", "job", "end"])
      await loop.run { registration.map(loop.deregister) ?? () }
      ends.close()
    }
  }

  @Test func `an end-of-turn job that an end-of-turn job adds runs once, a turn later`()
    async throws
  {
    try await withLoop { loop in
      let order = Watched<[String]>([])
      loop.execute {
        loop.endOfTurn {
          loop.endOfTurn { order.update { $0.append("second") } }
          loop.execute { order.update { $0.append("job") } }
          order.update { $0.append("first") }
        }
      }
      await order.wait { $0.count == 3 }
      await loop.settle()
      #expect(order.value == ["first", "job", "second"])
    }
  }

  @Test func `a handler that deregisters another one silences it within the turn`() async throws {
    try await withLoop { loop in
      let pairs = [DescriptorPair(), DescriptorPair()]
      let called = Watched<[Int]>([])
      let registrations = Locked<[EventLoop.Registration]>([])
      await loop.run {
        for (index, pair) in pairs.enumerated() {
          let handler = ClosureEventHandler { _ in
            called.update { $0.append(index) }
            for registration in registrations.withLock({ $0 }) { loop.deregister(registration) }
          }
          guard let registration = try? loop.register(pair.first, .readable, handler) else {
            return
          }
          registrations.withLock { $0.append(registration) }
        }
        // Both become ready before the loop polls, so they are in the same turn.
        for pair in pairs { pair.signal() }
      }
      await called.wait { !$0.isEmpty }
      await loop.settle()
      #expect(called.value.count == 1)
      for pair in pairs { pair.close() }
    }
  }

  @Test func `an old event does not reach the new owner of a descriptor number`() async throws {
    try await withLoop { loop in
      let old = [DescriptorPair(), DescriptorPair()]
      let numbers = Watched<(reused: Bool, newcomer: Int)?>(nil)
      let newcomer = Locked(0)
      let registrations = Locked<[EventLoop.Registration]>([])
      let fresh = Locked<DescriptorPair?>(nil)
      await loop.run {
        for (index, pair) in old.enumerated() {
          let other = old[1 - index]
          let handler = ClosureEventHandler { _ in
            guard fresh.withLock({ $0 == nil }) else { return }
            for registration in registrations.withLock({ $0 }) { loop.deregister(registration) }
            other.close()
            let pair = DescriptorPair()
            fresh.withLock { $0 = pair }
            let handler = ClosureEventHandler { _ in newcomer.withLock { $0 += 1 } }
            let registration = try? loop.register(pair.first, .readable, handler)
            loop.execute {
              let calls = newcomer.withLock { $0 }
              registration.map(loop.deregister)
              numbers.update { $0 = (pair.first == other.first, calls) }
            }
          }
          guard let registration = try? loop.register(pair.first, .readable, handler) else {
            return
          }
          registrations.withLock { $0.append(registration) }
        }
        for pair in old { pair.signal() }
      }
      await numbers.wait { $0 != nil }
      // Another test may own the number now; the new handler receives nothing in both cases.
      #expect(numbers.value?.newcomer == 0)
      fresh.withLock { $0 }?.close()
      old[0].first == fresh.withLock { $0?.first } ? old[1].close() : old[0].close()
    }
  }

  @Test func `a stopped loop notifies and releases its handlers, and drops its jobs`() async throws
  {
    let loop = try EventLoop(name: "stopping")
    let ends = DescriptorPair()
    let stops = Watched(0)
    let isThere = Watched<@Sendable () -> Bool>({ false })
    await loop.run {
      let handler = ClosureEventHandler(onStop: { stops.update { $0 += 1 } }) { _ in }
      isThere.update { $0 = { [weak handler] in handler != nil } }
      _ = try? loop.register(ends.first, .readable, handler)
    }
    #expect(isThere.value())
    loop.stop()
    #expect(stops.value == 1)
    #expect(!isThere.value())
    loop.execute { Issue.record("a job ran on a stopped loop") }
    loop.stop()
    ends.close()
  }

  @Test func `a loop can stop from its own thread`() async throws {
    let loop = try EventLoop(name: "stopping")
    let stopped = Watched(false)
    loop.execute {
      let handler = ClosureEventHandler(onStop: { stopped.update { $0 = true } }) { _ in }
      _ = loop.register(handler)
      loop.stop()
    }
    await stopped.wait { $0 }
  }
}

/// A handler made of closures.
final class ClosureEventHandler: EventHandler, Sendable {
  private let onReady: @Sendable (ReadyEvents) -> Void
  private let onStop: @Sendable () -> Void

  init(
    onStop: @escaping @Sendable () -> Void = {},
    onReady: @escaping @Sendable (ReadyEvents) -> Void
  ) {
    self.onReady = onReady
    self.onStop = onStop
  }

  func ready(_ events: ReadyEvents) { onReady(events) }
  func loopStopped() { onStop() }
}

/// Two connected descriptors.
struct DescriptorPair: Sendable {
  let first: Int32
  let second: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    (first, second) = (ends[0], ends[1])
  }

  /// Makes `first` readable.
  func signal() { _ = Glibc.send(second, [1], 1, 0) }

  func close() {
    _ = Glibc.close(first)
    _ = Glibc.close(second)
  }
}
