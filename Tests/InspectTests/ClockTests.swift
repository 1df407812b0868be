import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import inspect

@Suite("Virtual clocks in inspect", .workerPool)
struct InspectClockTests {
  /// A shop in virtual time, which begins paused.
  private struct Program {
    let inspector: Inspector
    let time = VirtualTime()
    let shop: Composed<Shop.State, Shop.Action>

    init() throws {
      var configuration = InspectorConfiguration()
      configuration.observesAll = false
      configuration.pausesVirtualClocks = true
      inspector = try Inspector(configuration)
      shop = Composed(sending: Shop(), on: .virtual(time))
      inspector.add(shop)
      time.settle()
    }

    func lines(_ words: String...) async throws -> [String] {
      try await CommandRun.lines(words).map(\.withoutNumber)
    }

    /// The notes of a command without lines.
    func notes(_ words: String...) async throws -> [String] {
      let written = WrittenLines()
      try await CommandRun.run(words, written)
      return written.notes.value
    }
  }

  @Test func `a clock is listed, stepped and resumed`() async throws {
    let program = try Program()
    let url = program.inspector.url
    #expect(
      try await program.lines("clocks", url) == [
        "#  seconds  next due  state                     composers",
        "1    0.000            paused, not advanced now  Shop",
      ])
    #expect(
      try await program.notes("step", url, "--by", "1.5") == ["Clock 1 may move by 1.500 s."])
    let ended = DispatchSemaphore(value: 0)
    Thread { [time = program.time] in
      time.advance(by: .seconds(3))
      ended.signal()
    }
    .start()
    #expect(try await program.notes("resume", url, "1") == ["Clock 1 runs."])
    ended.wait()
    #expect(try await program.notes("pause", url) == ["Clock 1 is paused."])
    let json = try JSONValue(json: try await program.lines("clocks", url, "--json")[0])
    #expect(json["elapsed"] == 3)
    #expect(json["isPaused"] == true)
    let error = await #expect(throws: InspectError.self) {
      try await program.notes("pause", url, "7")
    }
    #expect(error.map { "\($0)" } == "there is no virtual clock 7. There are: 1.")
    program.inspector.stop()
  }

  @Test func `tools list, pause, step and resume a clock`() async throws {
    let program = try Program()
    let call = try ToolCalls(program.inspector)
    #expect(try await call.text("clocks").hasSuffix("Shop"))
    #expect(
      try await call.text("step_clock", ["milliseconds": 250]) == "Clock 1 may move by 0.250 s.")
    #expect(
      try await call.text("step_clock", ["clock": 1]) == "Clock 1 may run up to the next work.")
    #expect(try await call.text("pause_clock") == "Clock 1 is paused.")
    #expect(try await call.text("resume_clock", ["clock": 1]) == "Clock 1 runs.")
    let refused = try await call("step_clock")
    #expect(refused["isError"] == true)
    #expect(refused.resultText == "Clock 1 is not paused. Pause it first.")
    program.inspector.stop()
  }

  @Test func `a program without a virtual clock says so`() async throws {
    let program = try InspectedShop()
    let written = WrittenLines()
    try await program.run(["clocks", program.inspector.url], written)
    #expect(written.notes.value == ["There is no virtual clock."])
    let call = try ToolCalls(program.inspector)
    #expect(try await call.text("clocks") == "There are none.")
    #expect(
      try await call.text("pause_clock").hasPrefix("The program has no virtual clock."))
  }

  // MARK: Pure

  @Test func `clocks are a table with their states`() {
    let clocks = [
      ClockInfo(clock: 1, elapsed: 12.5, nextDue: 15, isPaused: true, isWaiting: true),
      ClockInfo(clock: 2, elapsed: 3_600),
    ]
    let composers = [
      ComposerInfo(composer: 1, name: "Search", clock: 1),
      ComposerInfo(composer: 2, name: "Rows", clock: 1),
      ComposerInfo(composer: 3, name: "Gone", isLive: false, clock: 2),
    ]
    #expect(
      ClockReport.lines(clocks, composers).map(\.text) == [
        "#   seconds  next due  state   composers",
        "1    12.500    15.000  paused  Search, Rows",
        "2  3600.000            runs",
      ])
  }
}
