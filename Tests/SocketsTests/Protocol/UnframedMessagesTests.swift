import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Sending long messages", .workerPool)
struct UnframedMessagesTests {
  /// A server, whose frames are not masked.
  private func session(fragmentSize: Int = 10) -> Session {
    Session.open(.server, fragmentSize: fragmentSize)
  }

  /// Consumes the output, as a transport does.
  private func leave(_ session: inout Session) -> [(first: UInt8, payload: [UInt8])] {
    let bytes = session.codec.output.unwrittenBytes
    session.codec.output.consume(bytes.count)
    session.codec.frame()
    return TransportRecorder.frames(in: bytes)
  }

  /// Consumes the output until the queue is empty.
  private func drain(_ session: inout Session) -> [(first: UInt8, payload: [UInt8])] {
    var frames: [(first: UInt8, payload: [UInt8])] = []
    while !session.codec.output.isEmpty { frames += leave(&session) }
    return frames
  }

  @Test func `a message of the fragment size is one frame, a longer one has more`() throws {
    var session = session()
    try session.send(.text("0123456789"))
    try session.send(.text("0123456789a"))
    try session.send(.binary(Data([1])))
    let frames = drain(&session)
    #expect(frames.map(\.first) == [0x81, 0x01, 0x80, 0x82])
    #expect(frames.map(\.payload.count) == [10, 10, 1, 1])
    #expect(session.codec.counts.framesSent == 4)
    #expect(session.codec.counts.messagesSent == 3)
    #expect(session.codec.queuedBytes == 0)
  }

  @Test func `fragments are framed as the output leaves, and count as queued`() throws {
    var session = Session.open(.server, fragmentSize: 64 << 10)
    try session.send(.binary(Data(count: 2 << 20)))
    #expect(session.codec.output.count < (256 << 10) + 100)
    #expect(((2 << 20)...(2 << 20) + 100).contains(session.codec.queuedBytes))
    #expect(session.codec.framableBytes == (2 << 20) - (256 << 10))
  }

  @Test func `with an empty output, a message of sixteen fragment sizes is one frame`() throws {
    for (count, frames) in [
      (80, [0x82]), (81, [0x02] + [UInt8](repeating: 0, count: 15) + [0x80]),
    ] {
      var session = session(fragmentSize: 5)
      try session.send(.binary(Data(count: count)))
      #expect(drain(&session).map(\.first) == frames)
    }
  }

  @Test func `control frames are sent between the fragments of a message, other messages after it`()
    throws
  {
    var session = Session.open(.server, fragmentSize: 100_000)
    try session.send(.text("first"))
    try session.send(.binary(Data(count: 500_000)))
    try session.send(.text("behind"))
    try session.ping(Data("?".utf8))
    let ping = Wire.frame(0x89, "!", masked: true)
    #expect(session.events(in: ping) == [])
    var opcodes: [UInt8] = []
    var peer = Session.open(.client(MaskKeys(fixedKeys)))
    while !session.codec.output.isEmpty {
      let bytes = session.codec.output.unwrittenBytes
      session.codec.output.consume(bytes.count)
      session.codec.frame()
      for event in peer.events(in: bytes, wantsFrames: true) {
        if case .frame(let frame) = event { opcodes.append(frame.opcode.rawValue) }
      }
    }
    // Three fragments were framed before the ping was sent.
    #expect(opcodes == [1, 2, 0, 0, 9, 10, 0, 0, 1])
  }

  @Test func `the close frame follows all earlier messages`() throws {
    var session = session()
    try session.send(.text(String(repeating: "x", count: 200_000)))
    try session.send(.text("behind"))
    session.close(.normal, reason: "")
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try session.send(.text("late"))
    }
    let frames = drain(&session)
    #expect(frames.count == 20_002)
    #expect(frames.suffix(2).map(\.first) == [0x81, 0x88])
    #expect(session.state == .disconnecting)
  }

  @Test func `the answer to a close frame is sent at once, and queued messages are dropped`() throws
  {
    for closesToo in [false, true] {
      var session = session()
      try session.send(.text(String(repeating: "x", count: 400_000)))
      if closesToo { session.close(.goingAway, reason: "") }
      let close = Wire.frame(0x88, [0x03, 0xE8], masked: true)
      #expect(session.events(in: close) == [.peerClosed(code: .normal, reason: "")])
      let frames = drain(&session)
      #expect(frames.last?.first == 0x88)
      #expect(frames.last?.payload == [0x03, 0xE8])
      #expect(frames.count { $0.first == 0x88 } == 1)
      #expect(frames.count < 40_000)
    }
  }

  @Test func `the close frame of a protocol error is sent between the fragments`() throws {
    var session = session()
    try session.send(.text(String(repeating: "x", count: 200_000)))
    _ = session.events(in: Wire.frame(0x83, "", masked: true))
    let frames = drain(&session)
    #expect(frames.last?.first == 0x88)
    #expect(frames.last?.payload.prefix(2) == [0x03, 0xEA])
  }

  @Test func `fragments of the application and long messages wait for each other`() throws {
    var session = session()
    try session.send(.text("first"))
    try session.send(.text("0123456789abc"))
    try session.sendFragment(.binary, Data([1]), isFinal: false)
    try session.send(.text("ABCDEFGHIJKL"))
    #expect(session.codec.isSendingFragments == true)
    try session.sendFragment(.binary, Data([2]), isFinal: true)
    #expect(session.codec.isSendingFragments == false)
    let frames = drain(&session)
    #expect(frames.map(\.first) == [0x81, 0x01, 0x80, 0x02, 0x80, 0x01, 0x80])
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `a compressed message is fragmented after its compression`() throws {
    var session = Session.open(.server, fragmentSize: 100)
    session.codec.use(MessageDeflateTests.deflate())
    var peer = Session.open(.client(MaskKeys(fixedKeys)))
    peer.codec.use(MessageDeflateTests.deflate())
    var generator = SystemRandomNumberGenerator()
    let noise = Data((0..<1_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    try session.send(.text(""))
    try session.send(.binary(noise))
    try session.send(.binary(Data(count: 1_000)))
    var frames: [Frame] = []
    var messages: [WebSocketMessage] = []
    while !session.codec.output.isEmpty {
      let bytes = session.codec.output.unwrittenBytes
      session.codec.output.consume(bytes.count)
      session.codec.frame()
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
