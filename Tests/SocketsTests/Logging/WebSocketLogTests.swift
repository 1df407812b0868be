import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketLogTests {
  @Test func `a line below the log level is not created`() {
    let lines = Locked<[String]>([])
    let log = WebSocketLog(.warning) { level, line in
      lines.withLock { $0.append("\(level) \(line)") }
    }
    func costly() -> String {
      Issue.record("the line was created")
      return ""
    }
    log.write(.info, costly())
    log.write(.warning, "broken")
    log.write(.error, "over")
    WebSocketLog.none.write(.error, costly())
    #expect(lines.withLock { $0 } == ["warning broken", "error over"])
  }

  @Test func `text of a peer starts no log line and contains no terminal control characters`() {
    let lines = Locked<[String]>([])
    let log = WebSocketLog { _, line in lines.withLock { $0.append(line) } }
    log.write(.info, "closed, 1000 bye\n[error] forged\u{1B}[2J\u{2028}\u{202E}")
    log.write(.info, "J\u{FC}rgen \u{1F468}\u{200D}\u{1F469}")
    #expect(
      lines.withLock { $0 } == [
        #"closed, 1000 bye\n[error] forged\u{1B}[2J\u{2028}\u{202E}"#,
        "J\u{FC}rgen \u{1F468}\u{200D}\u{1F469}",
      ])
  }

  @Test func `entries of a client have its URL, its close code and the error`() async throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    let entries = Watched<[WebSocketLog.Entry]>([])
    var configuration = WebSocketConfiguration()
    configuration.log = WebSocketLog(.info) { entry in entries.update { $0.append(entry) } }
    let socket = WebSocket.connect(
      to: server.url + "room?token=secret", configuration: configuration)
    await entries.wait { $0.count == 1 }
    #expect(entries.value[0].message == "connected")
    #expect(entries.value[0].line == server.url + "room?...: connected")
    server.close()
    await entries.wait { $0.count == 2 }
    #expect(entries.value.map(\.url) == [server.url + "room?...", server.url + "room?..."])
    #expect(entries.value[1].closeCode == .goingAway && entries.value[1].error == nil)
    withExtendedLifetime(socket) {}

    let refused = WebSocket.connect(to: server.url, configuration: configuration)
    await entries.wait { $0.count == 4 }
    let error = WebSocketError.transport(
      .refused(address: "127.0.0.1:\(server.port)"))
    #expect(entries.value[2].error as? WebSocketError == error)
    #expect(entries.value[2].level == .error)
    #expect(entries.value[3].closeCode == .abnormal)
    withExtendedLifetime(refused) {}
  }

  @Test func `entries of a server have the connection's number and addresses`() async throws {
    let entries = Watched<[WebSocketLog.Entry]>([])
    var configuration = WebSocketConfiguration().onStoppedClock
    configuration.log = WebSocketLog(.info) { entry in entries.update { $0.append(entry) } }
    let server = try WebSocketServer.withoutListener(configuration: configuration)
    let peer = await AdoptedPeer.upgraded(by: server)
    peer.connection?.noteClosed(.reset)
    await entries.wait { $0.count == 3 }
    let address = NetworkAddress("192.0.2.1", port: 7)
    for entry in entries.value {
      #expect(entry.connectionNumber == 1 && entry.url == nil)
      #expect(entry.peerAddress == address && entry.clientAddress == address)
    }
    #expect(entries.value[0].line == "connection 1 from 192.0.2.1:7: connected: /chat")
    #expect(entries.value[1].error as? WebSocketError == .transport(.reset))
    #expect(entries.value[2].message == "closed, 1006")
  }
}
