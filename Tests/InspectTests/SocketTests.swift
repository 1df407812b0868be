import Inspector
import TestSupport
import Testing

@testable import inspect

@Suite("Sockets in inspect", .workerPool)
struct InspectSocketTests {
  @Test func `the cause of a step may be the message of a socket`() async throws {
    let program = try await InspectedFeed()
    let url = program.inspector.url
    let step = try #require(try await program.heardStep())
    let why = try await program.lines("why", url, "\(step)")
    let cause = try #require(why.drop { $0 != "caused by" }.dropFirst().first)
    #expect(cause.contains("\(program.server.url)"))
    #expect(cause.hasSuffix(" received: hello   5 bytes"))
    let call = try ToolCalls(program.inspector)
    let explained = try await call.text("why", ["event": .integer(Int64(step))])
    #expect(explained.contains("received: hello"))
  }

  @Test func `messages and states of sockets are listed by kind and by socket`() async throws {
    let program = try await InspectedFeed()
    let url = program.inspector.url
    let received = try await program.lines(
      url, "--kinds", "received", "--composer", program.server.url)
    #expect(received.count == 1)
    #expect(received.first?.contains("received: hello   5 bytes") == true)
    let states = try await program.lines(url, "--kinds", "socket,sent", "--composer", "ws://")
    #expect(
      states.contains { $0.contains(program.server.url) && $0.hasSuffix(" connected") }, "\(states)"
    )
    #expect(states.contains { $0.hasSuffix(" sent: hello   5 bytes") })
    let number = try #require(
      try JSONValue(
        json: try await program.lines(url, "--kinds", "received", "--json").first ?? "")["event"]?
        .integer)
    let event = try await program.lines("event", url, "\(number)")
    #expect(event.count == 1)
    #expect(event.first?.contains("received: hello") == true)
    let call = try ToolCalls(program.inspector)
    let steps = try await call("steps", ["kinds": ["received"], "composer": "ws://"])
    #expect(steps.resultText.hasPrefix("1 of 1 event\n"))
    #expect(steps["structuredContent"]?.json.contains("\"socket\":") == true)
  }

  @Test func `sockets and servers are tables, and as JSON the protocol's objects`() async throws {
    let program = try await InspectedFeed()
    let url = program.inspector.url
    let sockets = try await program.lines("sockets", url)
    #expect(sockets.first?.contains("socket") == true)
    #expect(
      sockets.contains { $0.contains(program.server.url) && $0.contains("  client  connected ") },
      "\(sockets)")
    let json = try await program.lines("sockets", url, "--json").map { try JSONValue(json: $0) }
    let client = json.first { $0["side"] == "client" }
    #expect(client?["metrics"]?["messagesReceived"] == 1)
    #expect(client?["messageBytesReceived"] == 5)
    let servers = try await program.lines("servers", url)
    #expect(servers.first == program.server.url)
    #expect(servers.contains("  open        1, 0 in the handshake"))
    let call = try ToolCalls(program.inspector)
    #expect(try await call.text("sockets", ["live": true]).contains(" client  connected"))
    let listed = try await call("servers")
    #expect(listed.resultText.contains("accepted    1, 1 opened"))
    #expect(listed["structuredContent"]?.json.contains("\"accepted\":1") == true)
  }

  /// A connected socket that the inspector shows, and its number.
  private func connectedSocket(of program: InspectedFeed) async throws -> (WebSocket, Int) {
    let socket = WebSocket.connect(to: program.server.url)
    program.inspector.add(socket)
    try await socket.connected()
    let listed = try await program.lines("sockets", program.inspector.url, "--json")
      .map { try JSONValue(json: $0) }
    // The newest one is the first.
    return (socket, try #require(listed.first { $0["side"] == "client" }?["socket"]?.integer))
  }

  @Test func `a socket is cut by name and by number`() async throws {
    let program = try await InspectedFeed()
    let url = program.inspector.url
    let (socket, number) = try await connectedSocket(of: program)
    #expect(try await program.lines("cut", url, "\(number)").isEmpty)
    #expect(try await socket.closed().code == .abnormal)
    await #expect(throws: InspectError.self) { try await program.lines("cut", url, "no such") }
    let call = try ToolCalls(program.inspector)
    let wrong = try await call("cut", ["socket": 99])
    #expect(wrong["isError"] == true)
    #expect(wrong.resultText.hasPrefix("there is no socket 99. There are: "))
  }

  @Test func `a socket is slowed down, and the list says so`() async throws {
    let program = try await InspectedFeed()
    let url = program.inspector.url
    let (socket, number) = try await connectedSocket(of: program)
    #expect(try await program.lines("slow", url, "\(number)", "1").isEmpty)
    let call = try ToolCalls(program.inspector)
    let answer = try await call("slow", ["socket": .string("\(number)"), "milliseconds": 2])
    #expect(answer.resultText.hasSuffix(" is delayed by 2 ms each way."))
    // The connection's loop has handled both when its answer to a ping has arrived.
    _ = try await socket.ping()
    #expect(try await program.lines("sockets", url).contains { $0.contains("slowed down by 2 ms") })
    socket.close()
    _ = try await socket.closed()
    await #expect(throws: InspectError.self) {
      try await program.lines("slow", url, "\(number)", "1")
    }
  }

  // MARK: Pure

  private static let socket = SocketInfo(
    socket: 4, name: "ws://example.com/feed", state: "connected", extensions: "permessage-deflate",
    messageBytesReceived: 90_210, messageBytesSent: 12,
    metrics: SocketMetrics(messagesReceived: 80, messagesSent: 1, roundTrip: 0.0021))

  @Test func `events of sockets are rows`() {
    let names = SourceNames([ComposerInfo(composer: 1, name: "Search")], [Self.socket])
    let format = RowFormat(started: 100, names: names, isAligned: false)
    var row = Row(event: 821, socket: 4, time: 100.4, kind: "received", size: 17)
    row.text = "[type: \"news\"]"
    #expect(
      format.line(row).text
        == "#821 0.400 ws://example.com/feed received: [type: \"news\"]   17 bytes")
    row = Row(event: 822, socket: 5, time: 100.5, kind: "socket", text: "dis\u{1B}connecting")
    #expect(format.line(row).text == #"#822 0.500 socket 5 dis\u{1B}connecting"#)
    #expect(names.knows(Row(event: 1, socket: 4, time: 0, kind: "sent")))
    #expect(!names.knows(row))
  }

  @Test func `sockets are a table with what is worth a note`() {
    let reconnecting = SocketInfo(
      socket: 5, name: "ws://example.com/feed", reconnects: true, isLive: false,
      state: "disconnected", detail: "disconnected for good: timeout", connections: 3,
      error: "timeout", closeCode: 1_006)
    #expect(
      SocketReport.lines([Self.socket, reconnecting]).map(\.text) == [
        "#  socket                 side    state         received   bytes  sent  bytes  queued  notes",
        "4  ws://example.com/feed  client  connected           80  90,210     1     12       0  "
          + "permessage-deflate, round trip 2.1 ms",
        "5  ws://example.com/feed  client  disconnected                 0            0          "
          + "reconnects, 3 connections, disconnected for good: timeout, timeout, ended with 1006",
      ])
  }

  @Test func `a server has its totals, without those that are empty`() {
    let server = ServerInfo(
      url: "ws://127.0.0.1:80/", open: 12, handshaking: 1, accepted: 1_000, opened: 990,
      refused: ["404": 3, "403": 7], bytesReceived: 9, messagesReceived: 1, loopLag: 0.0005)
    #expect(
      ServerReport.lines([server]).map(\.text) == [
        "ws://127.0.0.1:80/", "  open        12, 1 in the handshake",
        "  accepted    1,000, 990 opened", "  received    1 message, 9 bytes",
        "  sent        0 messages, 0 bytes", "  waiting     0 bytes to send, 0 held",
        "  loop lag    0.5 ms", "  refused     403: 7, 404: 3",
      ])
  }

  @Test func `a socket is found by a part of its name, a composer by its beginning`() throws {
    let composers = [ComposerInfo(composer: 1, name: "Feed")]
    #expect(try SourceSelector.one("example", in: [Self.socket]).socket == 4)
    // Not a part of a port: another socket would be cut.
    let local = SocketInfo(socket: 5, name: "ws://127.0.0.1:42993/")
    #expect(throws: InspectError.unknown("socket", "99", known: [local.name])) {
      try SourceSelector.one("99", in: [local])
    }
    #expect(try SourceSelector.numbers("feed", composers, [Self.socket]) == [1])
    #expect(try SourceSelector.numbers("example", composers, [Self.socket]) == [4])
    #expect(try SourceSelector.numbers("4", composers, [Self.socket]) == [4])
    #expect(
      throws: InspectError.unknown(
        "composer or socket", "z", known: ["Feed", "ws://example.com/feed"])
    ) {
      try SourceSelector.numbers("z", composers, [Self.socket])
    }
  }
}
