import Foundation
import TestSupport
import Testing

@testable import Sockets

/// The value that decides, without transport, loop or clock.
@Suite("A session", .workerPool) struct SessionTests {
  /// A server's session after its handshake; it speaks to a client that masks.
  private func opened(_ configuration: WebSocketConfiguration = .init()) -> Session {
    var session = Session(.server, SharedOptions(configuration))
    session.begin(.server(configuration))
    _ = session.told(by: Array(RawClient.request.utf8))
    _ = session.written()
    return session
  }

  @Test func `tells what happens in order, states too`() {
    var session = Session(.server, SharedOptions(.init()))
    session.begin(.server(.init()))
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
      var session = session
      var told = session.told(by: first) + session.told(by: second)
      session.transportClosed(nil)
      told += session.told()
      #expect(told.dropLast() == expected[...])
      #expect(told.last?.hasPrefix("ended(") == true)
    }
  }

  @Test func `a deadline that was kept has nothing to say`() {
    var idle = Session(.server, SharedOptions(.init()))
    var open = opened()
    let closing = {
      var session = opened()
      session.close(.normal, reason: "")
      return session
    }
    var (closingEarly, closingLate) = (closing(), closing())
    let dropped = [
      idle.expire(.handshake), open.expire(.handshake), closingEarly.expire(.handshake),
      closingLate.expire(.close),
    ]
    #expect(dropped == [false, false, false, true])
    #expect(closingLate.shutdown == .abort)
  }

  @Test func `a close that is in effect is not changed by another`() {
    var session = opened()
    session.close(4_001, reason: "first")
    session.close(4_002, reason: "second")
    #expect(
      session.written() == Wire.frame(0x88, [0x0F, 0xA1] + Array("first".utf8), masked: false)
    )
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try session.send { connection throws(SendError) in try connection.ping() }
    }
  }

  @Test func `a server stops reading while more than 1 MiB waits to be written`() throws {
    var session = opened()
    #expect(session.mayRead(whileReading: true))
    try session.send { connection throws(SendError) in
      try connection.send(.binary(Data(count: 1 << 20)))
    }
    #expect(!session.mayRead(whileReading: true))
    session.write(500_000)
    #expect(session.mayRead(whileReading: true))
    #expect(!session.mayRead(whileReading: false))
    session.write(100_000)
    #expect(session.mayRead(whileReading: false))
  }

  @Test func `a client stops for pongs only, not for what it sends itself`() throws {
    var session = Session(.client(MaskKeys(fixedKeys)), SharedOptions(.init()))
    let request = try ClientHandshake(
      WebSocketURL("ws://localhost"),
      random: { $0.copyBytes(from: Array("the sample nonce".utf8)) }
    )
    session.begin(.client(request))
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    _ = session.told(by: Array(answer.utf8))
    _ = session.written()
    #expect(session.state == .connected)
    try session.send { connection throws(SendError) in
      try connection.send(.binary(Data(count: 16 << 20)))
    }
    #expect(session.mayRead(whileReading: true))
    let ping = Wire.frame(0x89, .init(repeating: 1, count: 125), masked: false)
    for _ in 0..<10_000 { _ = session.told(by: ping) }
    #expect(!session.mayRead(whileReading: true))
    _ = session.written()
    #expect(session.mayRead(whileReading: false))
  }
}

extension Session {
  /// Hands the output to `take`, which returns how much of it was taken.
  fileprivate mutating func write(_ take: (UnsafeRawBufferPointer) -> Int) {
    var output = lend()
    takeBack(&output, written: output.withReadableBytes(take))
  }

  /// Hands so many bytes of the output to a transport that takes them.
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

  /// What there is to tell, with what these bytes bring.
  fileprivate mutating func told(by bytes: [UInt8] = []) -> [String] {
    bytes.withUnsafeBytes { bytes in
      var input = bytes
      var told: [String] = []
      while true {
        switch read(&input, wantsFrames: false, inTurn: true) {
        case .message(let message): told.append("\(SessionEvent.message(message))")
        case .event(let event): told.append("\(event)")
        case .more, .done, .wait: return told
        }
      }
    }
  }

  /// Takes the output.
  fileprivate mutating func written() -> [UInt8] {
    var bytes: [UInt8] = []
    write {
      bytes += $0
      return $0.count
    }
    return bytes
  }
}
