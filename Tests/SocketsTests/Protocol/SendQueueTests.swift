import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Sending long messages", .workerPool)
struct SendQueueTests {
  /// A server, whose frames are not masked.
  private func connection(fragmentSize: Int = 10) -> Session {
    Session.open(.server, fragmentSize: fragmentSize)
  }

  /// Consumes the output, as a transport does.
  private func leave(_ connection: inout Session) -> [(first: UInt8, payload: [UInt8])] {
    let bytes = connection.codec.output.withReadableBytes { [UInt8]($0) }
    connection.codec.output.consume(bytes.count)
    connection.codec.frame()
    return TransportRecorder.frames(in: bytes)
  }

  /// Consumes the output until the queue is empty.
  private func drain(_ connection: inout Session) -> [(first: UInt8, payload: [UInt8])] {
    var frames: [(first: UInt8, payload: [UInt8])] = []
    while !connection.codec.output.isEmpty { frames += leave(&connection) }
    return frames
  }

  @Test func `a message of the fragment size is one frame, a longer one has more`() throws {
    var connection = connection()
    try connection.send(.text("0123456789"))
    try connection.send(.text("0123456789a"))
    try connection.send(.binary(Data([1])))
    let frames = drain(&connection)
    #expect(frames.map(\.first) == [0x81, 0x01, 0x80, 0x82])
    #expect(frames.map(\.payload.count) == [10, 10, 1, 1])
    #expect(connection.codec.counts.framesSent == 4)
    #expect(connection.codec.counts.messagesSent == 3)
    #expect(connection.codec.queuedBytes == 0)
  }

  @Test func `fragments are framed as the output leaves, and count as queued`() throws {
    var connection = Session.open(.server, fragmentSize: 64 << 10)
    try connection.send(.binary(Data(count: 2 << 20)))
    #expect(connection.codec.output.count < (256 << 10) + 100)
    #expect(((2 << 20)...(2 << 20) + 100).contains(connection.codec.queuedBytes))
    #expect(connection.codec.framableBytes == (2 << 20) - (256 << 10))
  }

  @Test func `with an empty output, a message of sixteen fragment sizes is one frame`() throws {
    for (count, frames) in [
      (80, [0x82]), (81, [0x02] + [UInt8](repeating: 0, count: 15) + [0x80]),
    ] {
      var connection = connection(fragmentSize: 5)
      try connection.send(.binary(Data(count: count)))
      #expect(drain(&connection).map(\.first) == frames)
    }
  }

  @Test func `control frames are sent between the fragments of a message, other messages after it`()
    throws
  {
    var connection = Session.open(.server, fragmentSize: 100_000)
    try connection.send(.text("first"))
    try connection.send(.binary(Data(count: 500_000)))
    try connection.send(.text("behind"))
    try connection.ping(Data("?".utf8))
    let ping = Wire.frame(0x89, "!", masked: true)
    #expect(connection.events(in: ping) == [])
    var opcodes: [UInt8] = []
    var peer = Session.open(.client(MaskKeys(fixedKeys)))
    while !connection.codec.output.isEmpty {
      let bytes = connection.codec.output.withReadableBytes { [UInt8]($0) }
      connection.codec.output.consume(bytes.count)
      connection.codec.frame()
      for event in peer.events(in: bytes, wantsFrames: true) {
        if case .frame(let frame) = event { opcodes.append(frame.opcode.rawValue) }
      }
    }
    // Three fragments were framed before the ping was sent.
    #expect(opcodes == [1, 2, 0, 0, 9, 10, 0, 0, 1])
  }

  @Test func `the close frame follows all earlier messages`() throws {
    var connection = connection()
    try connection.send(.text(String(repeating: "x", count: 200_000)))
    try connection.send(.text("behind"))
    connection.close(.normal, reason: "")
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try connection.send(.text("late"))
    }
    let frames = drain(&connection)
    #expect(frames.count == 20_002)
    #expect(frames.suffix(2).map(\.first) == [0x81, 0x88])
    #expect(connection.state == .disconnecting)
  }

  @Test func `the answer to a close frame is sent at once, and queued messages are dropped`() throws
  {
    for closesToo in [false, true] {
      var connection = connection()
      try connection.send(.text(String(repeating: "x", count: 400_000)))
      if closesToo { connection.close(.goingAway, reason: "") }
      let close = Wire.frame(0x88, [0x03, 0xE8], masked: true)
      #expect(connection.events(in: close) == [.peerClosed(code: .normal, reason: "")])
      let frames = drain(&connection)
      #expect(frames.last?.first == 0x88)
      #expect(frames.last?.payload == [0x03, 0xE8])
      #expect(frames.count { $0.first == 0x88 } == 1)
      #expect(frames.count < 40_000)
    }
  }

  @Test func `the close frame of a protocol error is sent between the fragments`() throws {
    var connection = connection()
    try connection.send(.text(String(repeating: "x", count: 200_000)))
    _ = connection.events(in: Wire.frame(0x83, "", masked: true))
    let frames = drain(&connection)
    #expect(frames.last?.first == 0x88)
    #expect(frames.last?.payload.prefix(2) == [0x03, 0xEA])
  }

  @Test func `fragments of the application and long messages wait for each other`() throws {
    var connection = connection()
    try connection.send(.text("first"))
    try connection.send(.text("0123456789abc"))
    try connection.sendFragment(.binary, Data([1]), isFinal: false)
    try connection.send(.text("ABCDEFGHIJKL"))
    #expect(connection.codec.isMidMessage)
    try connection.sendFragment(.binary, Data([2]), isFinal: true)
    #expect(!connection.codec.isMidMessage)
    let frames = drain(&connection)
    #expect(frames.map(\.first) == [0x81, 0x01, 0x80, 0x02, 0x80, 0x01, 0x80])
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `a compressed message is fragmented after its compression`() throws {
    var connection = Session.open(.server, fragmentSize: 100)
    connection.codec.use(MessageDeflateTests.deflate())
    var peer = Session.open(.client(MaskKeys(fixedKeys)))
    peer.codec.use(MessageDeflateTests.deflate())
    var generator = SystemRandomNumberGenerator()
    let noise = Data((0..<1_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    try connection.send(.text(""))
    try connection.send(.binary(noise))
    try connection.send(.binary(Data(count: 1_000)))
    var frames: [Frame] = []
    var messages: [WebSocketMessage] = []
    while !connection.codec.output.isEmpty {
      let bytes = connection.codec.output.withReadableBytes { [UInt8]($0) }
      connection.codec.output.consume(bytes.count)
      connection.codec.frame()
      for event in peer.events(in: bytes, wantsFrames: true) {
        if case .frame(let frame) = event { frames.append(frame) }
        if case .message(let message) = event { messages.append(message) }
      }
    }
    #expect(messages == [.text(""), .binary(noise), .binary(Data(count: 1_000))])
    // 6: the first frame of each message has RSV1. Zeros fit in one frame.
    #expect(frames.filter(\.isCompressed).count == 2)
    #expect(frames[1].isCompressed == true && frames.last?.isCompressed == true)
    #expect(frames.count >= 11)
  }
}
