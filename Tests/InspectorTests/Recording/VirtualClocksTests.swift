import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("Virtual clocks", .workerPool)
struct VirtualClocksTests {
  private let time = VirtualTime()

  private func sample(in inspector: Inspector) -> Composed<Sample.State, Sample.Action> {
    let sample = Composed(sending: Sample(), on: .virtual(time))
    inspector.add(sample)
    time.settle()
    return sample
  }

  /// Advances the time on a thread of its own; signals the result at the end.
  private func advance(by seconds: Int) -> DispatchSemaphore {
    let ended = DispatchSemaphore(value: 0)
    Thread { [time] in
      time.advance(by: .seconds(seconds))
      ended.signal()
    }
    .start()
    return ended
  }

  /// Waits until the program notifies of a clock that satisfies a condition.
  private func wait(
    _ client: InspectorClient, until isSatisfied: @escaping @Sendable (AnyJSON) -> Bool
  ) async {
    await client.notifications.wait { all in
      all.last { $0.method == "clocks" }.map { isSatisfied($0.params["clocks"]?[0] ?? [:]) }
        == true
    }
  }

  @Test func `a paused clock moves by steps, and reduces actions while it waits`() async throws {
    let inspector = try Inspector.ofAdded()
    let sample = sample(in: inspector)
    sample.send(.poll)
    time.settle()
    let client = try await InspectorClient.greeted(inspector.url)
    #expect(try await client("composers")["composers"]?[0]?["clock"] == 1)
    try await client("pauseClock", ["clock": 1])
    try await client("subscribe", ["view": "clocks"])
    let ended = advance(by: 20)
    await wait(client) { $0["isWaiting"] == true }
    #expect(
      try await client("clocks")["clocks"]
        == [["clock": 1, "elapsed": 0, "nextDue": 5, "isPaused": true, "isWaiting": true]])
    let query = try #require(try await client("open", ["filter": [:]])["query"]?.number)
    try await client("send", ["composer": 1, "action": ["add": ["_0": 3]]])
    await client.waitForEvents(2, in: query)
    #expect(time.elapsed == 0)
    try await client("stepClock", ["clock": 1])
    await wait(client) { $0["elapsed"] == 5 && $0["isWaiting"] == true }
    await client.waitForEvents(4, in: query)
    try await client("stepClock", ["clock": 1, "by": .number(2.5)])
    await wait(client) { $0["elapsed"] == .number(7.5) && $0["isWaiting"] == true }
    try await client("resumeClock", ["clock": 1])
    ended.wait()
    #expect(time.elapsed == 20)
    #expect(try await client("clocks")["clocks"]?[0]?["isPaused"] == false)
    inspector.stop()
  }

  @Test func `wrong requests about clocks say what to do`() async throws {
    let inspector = try Inspector.ofAdded()
    let sample = sample(in: inspector)
    let client = try await InspectorClient.greeted(inspector.url)
    for method in ["pauseClock", "resumeClock", "stepClock"] {
      let failure = try await client.failure(method, ["clock": 9])
      #expect(failure?.code == -32003)
      #expect(failure?.message == "There is no virtual clock 9.")
    }
    #expect(
      try await client.failure("stepClock", ["clock": 1])
        == InspectorClient.Failure(
          code: -32005, message: "Clock 1 is not paused. Pause it first."))
    try await client("pauseClock", ["clock": 1])
    for wrong in [0, -1, 2_000_000_000] as [AnyJSON] {
      let failure = try await client.failure("stepClock", ["clock": 1, "by": wrong])
      #expect(failure?.code == -32602)
    }
    try await client("subscribe", ["view": "clocks"])
    let ended = advance(by: 1)
    await wait(client) { $0["isWaiting"] == true }
    #expect(
      try await client.failure("stepClock", ["clock": 1])?.message
        == "Nothing is scheduled on clock 1. Step by some seconds, or send an action first.")
    inspector.stop()
    ended.wait()
    withExtendedLifetime(sample) {}
  }

  @Test func `clocks are shown and not controlled while acting is turned off`() async throws {
    let inspector = try Inspector.ofAdded { $0.canAct = false }
    let sample = sample(in: inspector)
    let client = try await InspectorClient.greeted(inspector.url)
    #expect(try await client("clocks")["clocks"]?.elements.count == 1)
    for method in ["pauseClock", "resumeClock", "stepClock"] {
      #expect(try await client.failure(method, ["clock": 1])?.code == -32005)
    }
    #expect(!time.scheduler.isPausedByTool)
    withExtendedLifetime(sample) {}
  }

  @Test func `a clock is paused at first if configured, until the inspector's end`() throws {
    let inspector = try Inspector.ofAdded { $0.pausesVirtualClocks = true }
    let sample = sample(in: inspector)
    #expect(time.scheduler.isPausedByTool)
    let ended = advance(by: 3)
    inspector.stop()
    ended.wait()
    #expect(time.elapsed == 3)
    withExtendedLifetime(sample) {}
  }

  @Test func `composers of one virtual time share a clock, and a clock ends with its time`()
    async throws
  {
    let inspector = try Inspector.ofAdded()
    let first = sample(in: inspector)
    let second = sample(in: inspector)
    var other: VirtualTime? = VirtualTime()
    // Bound in its context, because the executor would keep the time alive.
    let third = other.map { $0.run { Composed(sending: Sample()) } }
    if let third { inspector.add(third) }
    other?.settle()
    let real = Composed(sending: Sample())
    inspector.add(real)
    let client = try await InspectorClient.greeted(inspector.url)
    let composers = try await client("composers")["composers"]?.elements ?? []
    #expect(composers.map { $0["clock"] } == [1, 1, 2, nil])
    #expect(try await client("clocks")["clocks"]?.elements.map { $0["clock"] } == [1, 2])
    other = nil
    #expect(try await client("clocks")["clocks"]?.elements.map { $0["clock"] } == [1])
    withExtendedLifetime((first, second, third, real)) {}
  }
}

extension VirtualTimeScheduler {
  fileprivate var isPausedByTool: Bool { (self as? any SteppableClock)?.status.isPaused == true }
}
