import TestSupport
import Testing

@testable import ActionCable

/// Recorded conversations of Rails servers: `transcript-rails*.jsonl`.
@Suite(.workerPool) struct CableTranscriptTests {
  static let versions = ["6.1", "7.2"]

  @Test(arguments: versions)
  func `C03: all frames of a recorded server are parsed`(version: String) throws {
    let exchanges = try CableRecordings.exchanges(rails: version)
    #expect(exchanges.count == 70)
    var kinds: [String: Int] = [:]
    for exchange in exchanges {
      for case (true, let text) in exchange.texts {
        let frame = try #require(CableFrame(text), "\(exchange.id): \(text)")
        let fields = try JSONValue(parsing: text)
        switch frame {
        case .welcome: #expect(fields["type"] == "welcome")
        case .ping: #expect(fields["type"] == "ping")
        case .disconnect(let reason, let reconnect):
          #expect(fields["reason"]?.string == reason)
          #expect(fields["reconnect"] == .bool(reconnect))
        case .confirmation(let identifier), .rejection(let identifier):
          #expect(fields["identifier"] == .string(identifier), "byte for byte")
        case .message(let identifier, let message):
          #expect(fields["identifier"] == .string(identifier))
          #expect(fields["message"] == message)
        }
        kinds["\(frame)".prefix { $0 != "(" }.description, default: 0] += 1
      }
    }
    #expect(Set(kinds.keys) == ["welcome", "disconnect", "confirmation", "rejection", "message"])
  }

  @Test(arguments: versions)
  func `C03: our commands equal those of the transcript`(version: String) throws {
    var count = 0
    for exchange in try CableRecordings.exchanges(rails: version) {
      for case (false, let text) in exchange.texts {
        guard let fields = try? JSONValue(parsing: text), let name = fields["command"]?.string,
          let identifier = fields["identifier"]?.string,
          let spelled = try? JSONValue(parsing: identifier), spelled.text == identifier
        else { continue }
        let data = try fields["data"]?.string.map { try JSONValue(parsing: $0) }
        switch name {
        case "subscribe": #expect(CableCommand.subscribe.text(for: identifier) == text)
        case "unsubscribe": #expect(CableCommand.unsubscribe.text(for: identifier) == text)
        case "message":
          // The server accepts the data in any order of its names.
          let ours = try JSONValue(parsing: CableCommand.message(data ?? nil).text(for: identifier))
          #expect(ours["command"] == "message")
          #expect(ours["identifier"] == fields["identifier"])
          #expect(try ours["data"]?.string.map { try JSONValue(parsing: $0) } == data)
        default: continue
        }
        count += 1
      }
    }
    #expect(count > 60)
  }

  /// Replays a transcript to a client that subscribes to all its channels.
  private func replay(_ id: String, rails version: String) throws
    -> (CableClientRecorder, [CableChannelRecorder], CableHarness)
  {
    let exchanges = try CableRecordings.exchanges(rails: version)
    let exchange = try #require(exchanges.first { $0.id == id })
    let harness = CableHarness()
    let header = exchange.response?.headers.first { $0[0] == "Sec-WebSocket-Protocol" }
    harness.onConnect = { $0.accept(subprotocol: header?[1], welcome: false) }
    harness.onCommand = { _, _ in }
    let clientRecorder = CableClientRecorder(harness.client)
    var recorders: [CableChannelRecorder] = []
    harness.client.connect()
    for (isFromServer, text) in exchange.texts {
      if isFromServer {
        harness.socket.receive(text)
      } else if let command = CableHarness.Command(text), command.name == "subscribe",
        case .object(let fields)? = try? JSONValue(parsing: command.identifier),
        let name = fields["channel"]?.string
      {
        recorders.append(CableChannelRecorder(harness.client.channel(name, fields)))
      }
    }
    return (clientRecorder, recorders, harness)
  }

  @Test(arguments: versions)
  func `C03: a client that replays a transcript emits its events`(version: String) throws {
    func events(_ id: String) throws -> [CableChannelEvent] {
      let (_, recorders, harness) = try replay(id, rails: version)
      // A released client ends its channels.
      return withExtendedLifetime(harness) { recorders.first?.events ?? [] }
    }
    let confirmed = CableChannelEvent.subscribed(reconnected: false)
    #expect(try events("subscribe") == [confirmed])
    #expect(try events("subscribe_rejected") == [.rejected])
    #expect(try events("subscribe_slow") == [confirmed])
    #expect(try events("subscribe_silent") == [])
    #expect(
      try events("message_before_confirmation")
        == [.message(["greeting": "hello ann"]), confirmed]
    )
    #expect(try events("perform") == [confirmed, .message(["text": "hello", "n": 1])])
    #expect(
      try events("message_escapes").last
        == .message(["text": "<b>&\u{2028} é 😀 \" \\ / \n \u{7}"])
    )
    #expect(try events("burst").dropFirst() == (0..<40).map { .message(["i": .integer($0)]) }[...])
    let two = try replay("two_chats", rails: version).1
    #expect(two.count == 2)
    #expect(two[0].messages.allSatisfy { $0["to"] == 1 })
    #expect(two[1].messages.allSatisfy { $0["to"] == 2 })
    #expect(two[1].messages.count > 0)
    let unauthorized = try replay("disconnect_unauthorized", rails: version).0
    let cause = CableDisconnection.Cause.announced(reason: "unauthorized")
    #expect(unauthorized.endings == [.init(cause: cause, willReconnect: false)])
    let restart = try replay("disconnect_server_restart", rails: version).0
    let restarting = CableDisconnection.Cause.announced(reason: "server_restart")
    #expect(restart.endings == [.init(cause: restarting, willReconnect: true)])
    for id in ["subprotocol_unsupported", "subprotocol_none"] {
      let (clientRecorder, _, _) = try replay(id, rails: version)
      guard case .disconnected(.failed(.unsupportedProtocol)) = clientRecorder.states.last else {
        Issue.record("\(id): \(clientRecorder.states)")
        continue
      }
    }
  }
}
