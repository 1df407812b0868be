import Dispatch
import Inspector
import TestSupport
import Testing

@testable import inspect

@Suite("The commands of inspect", .workerPool)
struct InspectCommandTests {
  private let program: InspectedShop

  init() throws { program = try InspectedShop() }

  private var url: String { program.inspector.url }

  /// A line without its number and time, which columns align.
  private func withoutTime(_ line: String) -> String {
    line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).last.map(String.init)
      ?? ""
  }

  @Test func `the last events are printed, the oldest first`() async throws {
    for number in 1...30 { program.shop.send(.add(number)) }
    let lines = try await program.lines(url, "--last", "2")
    #expect(
      lines.map(withoutTime).map { String($0.prefix(21)) } == [
        "Shop step 29: add(29)", "Shop step 30: add(30)",
      ])
    #expect(lines[0].hasPrefix("    #29 "))
    #expect(try await program.lines(url).count == 20)
    #expect(try await program.lines(url, "--last", "100").count == 30)
    #expect(try await program.lines(url, "--last", "0").isEmpty)
  }

  @Test func `events are chosen by kind, text and composer`() async throws {
    program.shop.send(.watch)
    program.shop.send(.add(77))
    let started = try await program.lines(url, "--kinds", "started")
    #expect(started.map(withoutTime) == ["Shop effect 1 started by the state, watch"])
    #expect(try await program.lines(url, "--filter", "77").count == 1)
    #expect(try await program.lines(url, "--composer", "shop").count == 2)
    #expect(try await program.lines(url, "--composer", "1", "--filter", "nothing").isEmpty)
    let error = await #expect(throws: InspectError.self) {
      try await program.lines(url, "--composer", "Till")
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("there is no composer or socket Till. There are: Shop"))
  }

  @Test func `the changes between two states and the template of an action are printed`()
    async throws
  {
    for number in 1...3 { program.shop.send(.add(number)) }
    #expect(try await program.lines("diff", url, "Shop", "1", "3") == ["count: 1 → 6"])
    #expect(try await program.lines("diff", url, "Shop", "2") == ["count: 3 → 6"])
    #expect(try await program.lines("diff", url, "Shop", "3").isEmpty)
    let template = try await program.lines("template", url, "Shop", "add").joined()
    #expect(try JSONValue(json: template) == ["add": ["_0": 0]])
  }

  @Test func `JSON is one object a line`() async throws {
    program.shop.send(.add(1))
    let rows = try await program.lines(url, "--json").map { try JSONValue(json: $0) }
    #expect(rows.map { $0["step"] } == [1])
    let composers = try await program.lines("composers", url, "--json")
    #expect(try composers.map { try JSONValue(json: $0)["name"] } == ["Shop"])
    let effects = try await program.lines("effects", url, "--json")
    #expect(effects.isEmpty)
  }

  @Test func `following prints new events until the program ends`() async throws {
    let written = WrittenLines()
    program.shop.send(.add(1))
    async let ended: Void = program.run([url, "--follow"], written)
    await written.lines.wait { $0.count == 1 }
    for number in 2...500 { program.shop.send(.add(number)) }
    await written.lines.wait { $0.count == 500 }
    program.inspector.stop()
    try await ended
    #expect(written.lines.value.last?.contains(" step 500: add(500)") == true)
    #expect(written.notes.value == ["The program has ended, or has stopped its inspector."])
  }

  @Test func `a slow reader that follows skips events instead of keeping them`() async throws {
    let connection = try await program.connected()
    let count = Watched(0)
    let subscription = connection.notifications.subscribe(onNext: { notification in
      count.update { $0 = notification.params["count"]?.integer ?? $0 }
    })
    let lines = Watched<[String]>([])
    let room = DispatchSemaphore(value: 0)
    let isFirst = Locked(true)
    let output = Output(
      write: { line in
        lines.update { $0.append(line) }
        // As a terminal that is stopped.
        if isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        }) {
          room.wait()
        }
      }, note: { _ in })
    program.shop.send(.add(0))
    async let ended: Void = EventsCommand(follows: true).run(on: connection, output)
    await lines.wait { $0.count == 1 }
    for number in 1...15_000 { program.shop.send(.add(number)) }
    await count.wait { $0 == 15_001 }
    room.signal()
    await lines.wait { $0.last?.contains(" step 15001: ") == true }
    program.inspector.stop()
    try await ended
    subscription.dispose()
    let skipped = lines.value.filter { $0.hasPrefix("… ") && $0.hasSuffix(" events skipped") }
    #expect(skipped.count == 1)
    #expect(lines.value.count < 5_000)
  }

  @Test func `composers, events, causes and effects are printed`() async throws {
    program.shop.send(.refresh)
    program.shop.send(.fail)
    program.shop.send(.watch)
    let composers = try await program.lines("composers", url)
    #expect(composers.count == 2)
    #expect(composers[1].hasPrefix("1  Shop "))
    let why = try await program.lines("why", url, "2")
    #expect(why.map(withoutTime).contains { $0.hasPrefix("Shop step 1: refresh") })
    #expect(why.contains("caused by"))
    #expect(try await program.lines("event", url, "1").count >= 1)
    let running = try await program.lines("effects", url, "--running")
    #expect(running.count == 1)
    #expect(running[0].contains("effect 2 by the state, watch: running"))
    await #expect(throws: InspectError.self) { try await program.lines("event", url, "999") }
  }

  @Test func `a state is printed at an event and a path`() async throws {
    program.shop.send(.add(1))
    program.shop.send(.refresh)
    #expect(
      try await program.lines("state", url, "Shop", "--event", "1") == [
        "Shop after #1", "State(count: 1, prices: [], isWatched: false)",
      ])
    let prices = try await program.lines("state", url, "1", "--path", "prices", "--from", "290")
    #expect(prices[0] == "Shop after #3")
    #expect(prices[1].hasPrefix("prices: [290, 291"))
    let json = try await program.lines("state", url, "Shop", "--json")
    #expect(try json.map { try JSONValue(json: $0)["count"] } == [11])
    await #expect(throws: InspectError.self) {
      try await program.lines("state", url, "Shop", "--path", "nothing")
    }
  }

  @Test func `an action is sent, and a wrong one is an error`() async throws {
    #expect(try await program.lines("send", url, "Shop", #"{"add": {"_0": 7}}"#).isEmpty)
    #expect(program.shop.state.count == 7)
    await #expect(throws: InspectError.self) {
      try await program.lines("send", url, "Shop", #"{"add": {"_0": "x"}}"#)
    }
  }

  @Test func `another secret and an ended program are errors with a status of their own`()
    async throws
  {
    let other = url.dropLast(33) + "0123456789abcdef/"
    await #expect(throws: InspectError.notFound(address: String(url.dropFirst(7).dropLast(34)))) {
      try await program.lines("composers", String(other))
    }
    program.inspector.stop()
    let error = await #expect(throws: InspectError.self) {
      try await program.lines("composers", url)
    }
    #expect(error?.exitStatus == 2)
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("Check that the program runs."))
  }

  @Test func `requests of an ended program fail`() async throws {
    let connection = try await program.connected()
    let list = try await EventList.open(EventFilter(), on: connection)
    program.inspector.stop()
    await #expect(throws: InspectError.programEnded) { try await list.progress { $0.count > 99 } }
    await #expect(throws: InspectError.programEnded) { try await connection.composers() }
    #expect(!connection.isConnected)
  }

  @Test func `several composers with a name need a number, unless one exists`() throws {
    var composers = [
      ComposerInfo(composer: 1, name: "Row"), ComposerInfo(composer: 2, name: "Row"),
      ComposerInfo(composer: 3, name: "2"),
    ]
    #expect(throws: InspectError.ambiguous("composer", "Row", numbers: [1, 2])) {
      try SourceSelector.one("Row", in: composers)
    }
    #expect(try SourceSelector.one("2", in: composers).composer == 2)
    composers[0].isLive = false
    #expect(try SourceSelector.one("row", in: composers).composer == 2)
    #expect(try SourceSelector.all("Row", in: composers).count == 2)
    #expect(try SourceSelector.one("Ro", in: composers).composer == 2)
  }
}
