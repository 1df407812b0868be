import Foundation
import TestSupport
import Testing

@testable import Sockets

/// The session without transport, loop or clock.
@Suite("The session of a connection", .workerPool) struct SessionTests {
  /// A server's session after its handshake, with a client that masks.
  private func opened(_ configuration: WebSocketConfiguration = .init()) -> Session {
    var session = Session(.server, SharedOptions(configuration))
    _ = session.begin(.server(configuration))
    _ = session.events(from: Array(RawClient.request.utf8))
    _ = session.written()
    return session
  }

  @Test func `a session emits events and states in order`() {
    let bytes =
      Array(RawClient.request.utf8) + Wire.frame(0x81, "a", masked: true)
      + Wire.frame(0x88, [0x03, 0xE8], masked: true) + Wire.frame(0x81, "b", masked: true)
    let expected = [
      "state(Sockets.WebSocketState.connecting)", "state(Sockets.WebSocketState.connected)",
      "connected", "message(Sockets.WebSocketMessage.text(\"a\"))",
      "state(Sockets.WebSocketState.disconnecting)",
      "state(Sockets.WebSocketState.disconnected)",
    ]
    for (first, second) in bytes.splits {
      var session = Session(.server, SharedOptions(.init()))
      _ = session.begin(.server(.init()))
      var events = session.events(from: first) + session.events(from: second)
      session.transportClosed(nil)
      events += session.events()
      #expect(events.dropLast() == expected[...])
      #expect(events.last?.hasPrefix("ended(") == true)
    }
  }

  @Test func `the deadline of a finished phase drops nothing`() {
    var idle = Session(.server, SharedOptions(.init()))
    var open = opened()
    func closing() -> Session {
      var session = opened()
      session.close(.normal, reason: "")
      return session
    }
    var closingEarly = closing()
    var closingLate = closing()
    idle.deadlinePassed(.handshake)
    open.deadlinePassed(.handshake)
    closingEarly.deadlinePassed(.handshake)
    closingLate.deadlinePassed(.close)
    #expect(idle.shutdown == nil && open.shutdown == nil && closingEarly.shutdown == nil)
    #expect(closingLate.shutdown == .abort)
  }

  @Test func `a second close does not change the first`() {
    var session = opened()
    session.close(4_001, reason: "first")
    session.close(4_002, reason: "second")
    #expect(
      session.written() == Wire.frame(0x88, [0x0F, 0xA1] + Array("first".utf8), masked: false)
    )
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try session.ping(Data())
    }
  }

  @Test func `a server stops reading while more than 1 MiB waits to be written`() throws {
    var session = opened()
    #expect(session.mayRead(whileReading: true) == true)
    try session.send(.binary(Data(count: 1 << 20)))
    #expect(session.mayRead(whileReading: true) == false)
    session.write(500_000)
    #expect(session.mayRead(whileReading: true) == true)
    #expect(session.mayRead(whileReading: false) == false)
    session.write(100_000)
    #expect(session.mayRead(whileReading: false) == true)
  }

  @Test func `a client pauses reading for queued pongs, not for its own messages`() throws {
    var session = Session(.client(MaskKeys(fixedKeys)), SharedOptions(.init()))
    let request = try ClientHandshake(
      WebSocketURL("ws://localhost"),
      random: { $0.copyBytes(from: Array("the sample nonce".utf8)) }
    )
    _ = session.begin(.client(request))
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    _ = session.events(from: Array(answer.utf8))
    _ = session.written()
    #expect(session.state == .connected)
    try session.send(.binary(Data(count: 16 << 20)))
    #expect(session.mayRead(whileReading: true) == true)
    let ping = Wire.frame(0x89, .init(repeating: 1, count: 125), masked: false)
    for _ in 0..<10_000 { _ = session.events(from: ping) }
    #expect(session.mayRead(whileReading: true) == false)
    _ = session.written()
    #expect(session.mayRead(whileReading: false) == true)
  }
}

extension Session {
  /// Passes the output to `take`, which returns the number of written bytes.
  fileprivate mutating func write(_ take: (UnsafeRawBufferPointer) -> Int) {
    var output = beginWrite()
    endWrite(&output, written: output.unwrittenBytes.withUnsafeBytes(take))
  }

  /// Writes `count` bytes of the output.
  fileprivate mutating func write(_ count: Int) {
    var rest = count
    while rest > 0 {
      write { bytes in
        let taken = min(rest, bytes.count)
        rest -= taken
        return taken
      }
    }
  }

  /// The events of these bytes.
  fileprivate mutating func events(from bytes: [UInt8] = []) -> [String] {
    bytes.withUnsafeBytes { bytes in
      var input = bytes
      var events: [String] = []
      while true {
        switch step(&input) {
        case .message(let message): events.append("\(SessionEvent.message(message))")
        case .event(let event): events.append("\(event)")
        case .more, .done, .wait: return events
        }
      }
    }
  }

  /// Returns the output as written.
  fileprivate mutating func written() -> [UInt8] {
    var bytes: [UInt8] = []
    write {
      bytes += $0
      return $0.count
    }
    return bytes
  }
}
