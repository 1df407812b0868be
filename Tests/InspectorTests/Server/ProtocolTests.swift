import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("Protocol", .workerPool)
struct ProtocolTests {
  private let inspector: Inspector
  private let sample = Composed(sending: Sample())

  init() throws {
    inspector = try .ofAdded()
    inspector.add(sample)
  }

  @Test func `hello has the version, the program and whether clients may act`() async throws {
    let client = try await InspectorClient(inspector.url)
    let hello = try await client("hello", ["version": 1])
    #expect(hello["version"] == 1)
    #expect(hello["process"]?.number == Int(ProcessInfo.processInfo.processIdentifier))
    #expect(hello["canAct"] == true)
  }

  @Test func `a request before hello fails`() async throws {
    let client = try await InspectorClient(inspector.url)
    #expect(try await client.failure("composers")?.code == -32002)
  }

  @Test func `another version is refused with the one that is supported`() async throws {
    let client = try await InspectorClient(inspector.url)
    let failure = try await client.failure("hello", ["version": 2])
    #expect(failure?.code == -32001)
    #expect(failure?.data == ["version": 1])
  }

  @Test func `composers are listed with their counts and the cases of their actions`() async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    sample.send(.watch(true))
    let composer = try #require(try await client("composers")["composers"]?[0])
    #expect(composer["composer"] == 1)
    #expect(composer["type"] == "Sample")
    #expect(composer["isLive"] == true)
    #expect(composer["steps"] == 2)
    #expect(composer["running"] == 1)
    #expect(composer["queue"] == 0)
    #expect(composer["canSend"] == true)
    #expect(composer["actions"]?.elements.contains("logIn") == true)
  }

  @Test func `a list of events grows, and its rows are read by position`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let query = try #require(try await client("open", ["filter": [:]])["query"]?.number)
    for number in 1...3 { sample.send(.add(number)) }
    await client.waitForEvents(3, in: query)
    let page = try await client("rows", ["query": .integer(Int64(query)), "from": 1, "count": 10])
    #expect(page["from"] == 1)
    #expect(page["rows"]?.elements.compactMap { $0["text"] } == ["add(2)", "add(3)"])
    #expect(page["rows"]?[0]?["changes"] == ["count: 1 → 3"])
    #expect(page["rows"]?[0]?["source"] == ["kind": "outside"])
    let found = try await client("find", ["query": .integer(Int64(query)), "event": 2])
    #expect(found == ["position": 1, "isExact": true])
    let beginning = try await client("find", ["query": .integer(Int64(query)), "event": 0])
    #expect(beginning == ["position": -1, "isExact": false])
    try await client("close", ["query": .integer(Int64(query))])
    #expect(
      try await client.failure("rows", ["query": 1, "from": 0, "count": 1])?.code == -32003)
  }

  @Test func `an event has its values, its causes and its effects`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.fail)
    sample.send(.add(5))
    let detail = try await client("event", ["event": 3])
    #expect(detail["row"]?["kind"] == "step" || detail["row"]?["kind"] == "ended")
    let why = try await client("why", ["event": 1])
    #expect(why["causes"] == [])
    #expect(why["effects"]?[0]?["row"]?["kind"] == "started")
    #expect(why["isCut"] == false)
    #expect(try await client.failure("event", ["event": 99])?.code == -32003)
  }

  @Test func `a state is read at an event, by a path, and as JSON`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    sample.send(.loaded((0..<300).map { Sample.Row(id: $0, title: "title \($0)") }))
    sample.send(.add(1))
    let state = try await client("state", ["composer": 1, "event": 1])
    #expect(state["event"] == 1)
    #expect(state["value"]?["kind"] == "object")
    #expect(state["value"]?["children"]?[0]?["value"] == ["kind": "number", "text": "1"])
    let rows = try await client(
      "state", ["composer": 1, "path": ["rows"], "from": 298, "count": 10])
    #expect(rows["event"] == 3)
    #expect(rows["value"]?["count"] == 300)
    #expect(rows["value"]?["children"]?.elements.count == 2)
    let json = try await client("json", ["composer": 1])["text"]?.text ?? ""
    #expect(json.contains("\"count\": 2"))
    #expect(json.contains("title 299"))
    let before = try await client("state", ["composer": 1, "event": 0])
    #expect(before["value"]?["children"]?[0]?["value"] == ["kind": "number", "text": "0"])
  }

  @Test func `two states are compared`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for _ in 1...3 { sample.send(.add(1)) }
    let diff = try await client("diff", ["composer": 1, "from": 1, "to": 3])
    #expect(diff["changes"]?.elements.count == 1)
    #expect(diff["changes"]?[0]?["path"] == "count")
    #expect(diff["changes"]?[0]?["new"] == ["kind": "number", "text": "3"])
  }

  @Test func `effects are listed with their ends, and what runs`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.watch(true))
    sample.send(.poll)
    sample.send(.stop)
    let all = try await client("effects")["effects"]?.elements ?? []
    // The newest first: that of `cancel` itself, the timer, the state effect.
    #expect(all.map { $0["outcome"] } == ["completed", "cancelled", nil])
    let running = try await client("effects", ["composers": [1], "isRunning": true])
    #expect(running["effects"]?[0]?["origin"] == ["kind": "stateEffect", "id": "watch"])
    #expect(running["effects"]?[0]?["ended"] == nil)
  }

  @Test func `an action is sent, and a template helps to write it`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let template = try await client("template", ["composer": 1, "name": "add"])
    #expect(template["action"] == ["add": ["_0": 0]])
    try await client("send", ["composer": 1, "action": ["add": ["_0": 7]]])
    #expect(sample.state.count == 7)
    let failure = try await client.failure(
      "send", ["composer": 1, "action": ["add": ["_0": "seven"]]])
    #expect(failure?.code == -32602)
    #expect(failure?.message.contains("expected Int") == true)
  }

  @Test func `the actions of a step are JSON that is sent again`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(7))
    sample.send(.logIn(password: "hunter2"))
    func actions(_ event: AnyJSON) async throws -> [AnyJSON]? {
      let texts = try await client("actions", ["event": event])["texts"]?.elements
      return try texts?.map { try AnyJSON(parsing: $0.text ?? "") }
    }
    #expect(try await actions(1) == [["add": ["_0": 7]]])
    try await client("send", ["composer": 1, "action": actions(1)?.first ?? .null])
    #expect(sample.state.count == 14)
    #expect(try await actions(2) == [["logIn": ["password": "•••"]]])
    #expect(try await client.failure("actions", ["event": 9])?.code == -32003)
  }

  @Test func `a part of a state is JSON by its path`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(7))
    #expect(try await client("json", ["composer": 1, "path": ["count"]]) == ["text": "7"])
    #expect(
      try await client.failure("json", ["composer": 1, "path": ["none"]])?.message
        == "The state has no value at none.")
  }

  @Test func `hidden names are hidden in rows, values, changes and JSON`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let query = try #require(try await client("open")["query"]?.number)
    sample.send(.logIn(password: "hunter2"))
    await client.waitForEvents(1, in: query)
    let answers = [
      try await client("rows", ["query": .integer(Int64(query)), "from": 0, "count": 9]),
      try await client("event", ["event": 1]), try await client("why", ["event": 1]),
      try await client("state", ["composer": 1]), try await client("json", ["composer": 1]),
      try await client("diff", ["composer": 1, "from": 0]),
    ]
    for answer in answers { #expect(!"\(answer)".contains("hunter2")) }
    #expect("\(answers[0])".contains("logIn"))
  }

  @Test func `views are notified of what changes`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    try await client("subscribe", ["view": "composers"])
    try await client("subscribe", ["view": "effects", "composers": [1]])
    sample.send(.watch(true))
    await client.notifications.wait { all in
      all.contains { $0.method == "composers" && $0.params["composers"]?[0]?["running"] == 1 }
        && all.contains { $0.method == "effects" && $0.params["effects"]?.elements.count == 1 }
    }
  }

  @Test func `a composer is listed with its children, and with theirs`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let house = Composed(sending: House())
    inspector.add(house)
    try await client("subscribe", ["view": "composers"])
    let chairs: AnyJSON = ["name": "Chair", "isMany": true, "live": 0]
    let room: AnyJSON = ["name": "Room", "isMany": false, "live": 1, "children": [chairs]]
    // Read where the composer reduces, between two notifications.
    await client.notifications.wait { all in
      all.contains { $0.params["composers"]?[1]?["children"] == [room] }
    }
  }

  @Test(arguments: [
    ("{", -32700), ("[]", -32600), ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"hello\"}", -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing\"}", -32601),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rows\"}", -32602),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rows\",\"params\":{\"query\":\"x\"}}", -32602),
    (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rows\",\"params\":"
        + "{\"query\":9223372036854775807,\"from\":-9223372036854775808,\"count\":1}}", -32003
    ),
    (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"state\",\"params\":"
        + "{\"composer\":-9223372036854775808}}", -32003
    ),
    (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":" + nested(100_000) + "}",
      -32700
    ),
  ])
  func `a malformed request is answered with an error`(_ text: String, _ code: Int) async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let codes = Watched<[Int]>([])
    let subscription = client.socket.messages.subscribe(onNext: { message in
      if let failed: Failed = try? message.decode() {
        codes.update { $0.append(failed.error.code) }
      }
    })
    try client.socket.send(text)
    await codes.wait { $0 == [code] }
    subscription.dispose()
    #expect(try await client("composers")["composers"]?.elements.count == 1)
  }

  private struct Failed: Decodable { let error: InspectorClient.Failure }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private final class House: Composer {
    enum Action { case room(Room.Action) }
    struct State { var room = Room.State() }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let room = Child(\State.room, Action.room) { Room() }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .room(let action): room.reduce(&state, action)
      }
    }
  }

  private final class Room: Composer {
    enum Action { case chair(Int, Chair.Action) }
    struct State { var chairs: IdentifiedArray<Chair.State> = [] }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let chairs = Children(\State.chairs, Action.chair) { Chair() }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .chair(let id, let action): chairs.reduce(&state, id, action)
      }
    }
  }

  private final class Chair: Composer {
    enum Action { case fold }
    struct State: Identifiable { let id: Int }
    @ComposableState var state = State(id: 0)
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }
}
