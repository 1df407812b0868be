import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct SessionReceivingTests {
  @Test func `5.7: the frames of the RFC are received`() {
    var client = Side.client.session()
    #expect(
      client.events(in: [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == [.message(.text("Hello"))]
    )
    #expect(
      client.events(in: [0x01, 0x03, 0x48, 0x65, 0x6C] + [0x80, 0x02, 0x6C, 0x6F])
        == [.message(.text("Hello"))]
    )
    var server = Side.server.session()
    let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(server.events(in: masked) == [.message(.text("Hello"))])
  }

  @Test(arguments: Side.allCases)
  func `the fast path takes a whole uncompressed message and no other bytes`(side: Side) {
    let long = side.incoming(0x82, [UInt8](repeating: 7, count: 70_000))
    let shortest = side.incoming(0x81, "a")
    let wasteful = [0x81, shortest[1] & 0x80 | 126, 0, 1] + shortest.dropFirst(2)
    let others: [[UInt8]] = [
      [], [0x81], side.incoming(0x81, "whole").dropLast(), side.incoming(0x01, "a"),
      side.incoming(0x80, "b"), side.incoming(0x89, "p"), side.incoming(0xC1, "x"),
      side.incoming(0x83, "x"), side.incoming(0x88, [0x03, 0xE8]), side.incoming(0x81, [0xFF]),
      Wire.frame(0x81, "x", masked: !side.getsMasked), wasteful, long,
      side.incoming(0x82, [UInt8](repeating: 7, count: 301)),
    ].map { Array($0) }
    for other in others {
      var session = side.session(messageLimit: 300)
      #expect(session.fastMessage(in: other) == nil)
      #expect(session.codec.counts == MessageCodec.Counts())
    }
    for text in ["abc", "✓", String(repeating: "x", count: 130)] {
      var session = side.session(messageLimit: 300)
      #expect(session.fastMessage(in: side.incoming(0x81, text)) == .text(text))
      #expect(session.codec.counts.messagesReceived == 1)
      #expect(session.codec.counts.framesReceived == 1)
      session.codec.wantsFrames = true
      #expect(session.fastMessage(in: side.incoming(0x81, text)) == nil)
    }
    // 5.4: within another message, it is refused.
    var session = side.session()
    _ = session.events(in: side.incoming(0x01, "a"))
    #expect(session.fastMessage(in: side.incoming(0x81, "b")) == nil)
    // After the peer's close frame, nothing is received.
    session = side.session()
    _ = session.events(in: side.incoming(0x88, [0x03, 0xE8]))
    #expect(session.events(in: side.incoming(0x81, "b")) == [])
  }

  /// Lengths at which another way to make the message begins.
  private static let lengths = [
    1, 14, 15, 16, 125, 126, 255, 256, 257, 16_383, 16_384, 16_385, 65_535, 65_536, 100_000,
  ]

  @Test(arguments: Side.allCases, lengths)
  func `8.1: text of any length is received, and refused if it is not UTF-8`(
    side: Side, length: Int
  ) {
    func received(_ payload: [UInt8]) -> [Received] {
      var session = side.session()
      return session.events(in: side.incoming(0x81, payload))
    }
    let ascii = (0..<length).map { UInt8(0x20 + $0 % 0x5F) }
    #expect(received(ascii) == [.message(.text(String(decoding: ascii, as: UTF8.self)))])
    if length >= 3 {
      let other = Array(ascii.dropLast(3)) + Array("✓".utf8)
      #expect(received(other) == [.message(.text(String(decoding: other, as: UTF8.self)))])
    }
    for wrong in [UInt8(0xFF), 0xE2] {
      #expect(received(Array(ascii.dropLast()) + [wrong]) == [.failed(.textNotUTF8)])
      #expect(received([wrong] + Array(ascii.dropFirst())) == [.failed(.textNotUTF8)])
    }
    var session = side.session()
    let binary = ascii.map { ~$0 }
    let events = session.events(in: side.incoming(0x82, binary))
    #expect(events == [.message(.binary(Data(binary)))])
  }

  @Test(arguments: Side.allCases)
  func `8.1: a code point may be split by fragments and reads, but not by ASCII`(side: Side) {
    let (head, tail) = (Array("✓".utf8.dropLast()), Array("✓".utf8.suffix(1)))
    var session = side.session()
    let whole = side.incoming(0x01, head) + side.incoming(0x80, tail + [0x61])
    #expect(session.eventsByteByByte(in: whole) == [.message(.text("✓a"))])
    session = side.session()
    let split = side.incoming(0x01, head) + side.incoming(0x80, [0x61] + tail)
    #expect(session.eventsByteByByte(in: split) == [.failed(.textNotUTF8)])
    session = side.session()
    let late = side.incoming(0x01, head) + side.incoming(0x00, "a") + side.incoming(0x80, tail)
    #expect(session.events(in: late) == [.failed(.textNotUTF8)])
  }

  @Test(arguments: Side.allCases, [false, true])
  func `the events do not depend on the split of the bytes`(side: Side, wantsFrames: Bool) {
    let wire =
      side.incoming(0x81, "whole ✓") + side.incoming(0x01, [0xE2, 0x82]) + side.incoming(0x89, "p")
      + side.incoming(0x00) + side.incoming(0x8A, "q") + side.incoming(0x80, [0xAC])
      + side.incoming(0x82, [UInt8](repeating: 7, count: 130)) + side.incoming(0x82)
      + side.incoming(0x88, [0x03, 0xE9, 0x62, 0x79]) + side.incoming(0x81, "ignored")
    var whole = side.session()
    let expected = whole.events(in: wire, wantsFrames: wantsFrames)
    let answers = whole.drain()
    #expect(
      expected.filter { if case .frame = $0 { false } else { true } } == [
        .message(.text("whole ✓")), .pong(Data("q".utf8)),
        .message(.text("€")), .message(.binary(Data(repeating: 7, count: 130))),
        .message(.binary(Data())), .peerClosed(code: .goingAway, reason: "by"),
      ]
    )
    for (head, tail) in wire.splits {
      var split = side.session()
      let parts = [head, tail].flatMap { split.events(in: $0, wantsFrames: wantsFrames) }
      #expect(parts == expected)
      #expect(split.drain() == answers)
    }
    var single = side.session()
    #expect(single.eventsByteByByte(in: wire, wantsFrames: wantsFrames) == expected)
    #expect(single.drain() == answers)
  }

  @Test(arguments: Side.allCases)
  func `frame events precede their results, and are emitted only on request`(side: Side) {
    let wire =
      side.incoming(0x01, "a") + side.incoming(0x89, "p") + side.incoming(0x80, "b")
      + side.incoming(0x88)
    var session = side.session()
    #expect(
      session.events(in: wire, wantsFrames: true) == [
        .frame(Frame(isFinal: false, opcode: .text, payload: Data("a".utf8))),
        .frame(.ping(Data("p".utf8))),
        .frame(Frame(isFinal: true, opcode: .continuation, payload: Data("b".utf8))),
        .message(.text("ab")),
        .frame(.close()), .peerClosed(code: .noStatus, reason: ""),
      ]
    )
  }

  @Test(arguments: Side.allCases)
  func `frame events that are requested within a frame begin with the next one`(side: Side) {
    let (first, second) = (side.incoming(0x82, [1, 2]), side.incoming(0x82, [3]))
    var session = side.session()
    #expect(session.events(in: first.dropLast()) == [])
    #expect(
      session.events(in: first.suffix(1) + second, wantsFrames: true) == [
        .message(.binary(Data([1, 2]))), .frame(.binary(Data([3]))), .message(.binary(Data([3]))),
      ]
    )
  }

  @Test(arguments: Side.allCases)
  func `5.5.2: each ping is answered with its payload, also inside a message`(side: Side) {
    let payload = (0..<125).map { UInt8($0) }
    var session = side.session()
    _ = session.events(in: side.incoming(0x01, "a") + side.incoming(0x89, payload))
    _ = session.events(in: side.incoming(0x89))
    #expect(session.drain() == side.outgoing(0x8A, payload) + side.outgoing(0x8A))
  }

  @Test(arguments: Side.allCases)
  func `messages before an error are delivered, then the error, then nothing`(side: Side) {
    let wire =
      side.incoming(0x81, "first") + side.incoming(0x81, "second") + side.incoming(0xC1, "bad")
      + side.incoming(0x81, "after")
    var session = side.session()
    #expect(
      session.events(in: wire)
        == [.message(.text("first")), .message(.text("second")), .failed(.reservedBitsSet)]
    )
    #expect(session.outcome?.error == .protocolViolation(.reservedBitsSet))
    #expect(session.events(in: side.incoming(0x81, "later")) == [])
  }

  @Test(arguments: Side.allCases)
  func `messages before an error or a close can still be answered`(side: Side) throws {
    for (end, answer) in [
      (side.incoming(0x83), ClosePayload(code: .protocolError, reason: "opcode 3 is reserved")),
      (side.incoming(0x88, [0x03, 0xE8]), ClosePayload(code: .normal, reason: "")),
    ] {
      var session = side.session()
      let wire = side.incoming(0x81, "a") + side.incoming(0x81, "b") + end
      try wire.withUnsafeBytes { bytes in
        var input = bytes
        while true {
          switch session.step(&input) {
          case .message(let message): try session.send(message)
          case .event, .more: break
          case .done, .wait: return
          }
        }
      }
      let echoes = side.outgoing(0x81, [0x61]) + side.outgoing(0x81, [0x62])
      #expect(session.drain() == echoes + side.outgoing(0x88, answer.bytes))
    }
  }

  @Test(arguments: Side.allCases)
  func `7.1.7: each kind of error is sent to the peer with its code`(side: Side) {
    for (wire, error) in [
      (side.incoming(0x80, "x"), ProtocolError.continuationWithoutStart),
      (side.incoming(0x01, "x") + side.incoming(0x81, "y"), .messageInsideMessage),
      (side.incoming(0x81, [0xC0]), .textNotUTF8),
      (side.incoming(0x88, [0x03]), .closeFrameTooShort),
      (side.incoming(0x88, [0x03, 0xED]), .invalidCloseCode(1005)),
      (side.incoming(0x88, [0x03, 0xE8, 0xFF]), .closeReasonNotUTF8),
      (side.incoming(0x82, [1, 2, 3, 4, 5, 6, 7, 8, 9]), .messageTooLong(length: 9, limit: 8)),
    ] {
      var session = side.session(messageLimit: 8)
      #expect(session.events(in: wire).last == .failed(error))
      let payload = ClosePayload(code: error.closeCode, reason: error.description)
      #expect(session.drain() == side.outgoing(0x88, payload.bytes))
      #expect(session.outcome != nil)
    }
  }

  @Test(arguments: Side.allCases)
  func `a message above the limit is refused by its header alone`(side: Side) {
    var session = side.session(messageLimit: 8)
    let header = side.incoming(0x82, [UInt8](repeating: 0, count: 9)).dropLast(9)
    #expect(session.events(in: Array(header)) == [.failed(.messageTooLong(length: 9, limit: 8))])
  }

  @Test(arguments: Side.allCases)
  func `8.1: a wrong byte fails a text message before its frame ends`(side: Side) {
    var session = side.session()
    let wire = side.incoming(0x81, [0x61, 0xFF] + [UInt8](repeating: 0x61, count: 1000))
    #expect(session.events(in: Array(wire.prefix(12))) == [.failed(.textNotUTF8)])
  }

  @Test(arguments: Side.allCases)
  func `a message of 65,537 fragments, most of them empty, is one message`(side: Side) {
    var session = side.session()
    let parts = (0..<65_536).map { side.incoming($0 == 0 ? 0x02 : 0x00, $0 % 16 == 0 ? [9] : []) }
    #expect(session.events(in: Array(parts.joined())) == [])
    #expect(
      session.events(in: side.incoming(0x80)) == [
        .message(.binary(Data(repeating: 9, count: 4096)))
      ]
    )
  }

  @Test(arguments: Side.allCases)
  func `a message of 16 MiB is received in reads of 64 KiB`(side: Side) {
    // Copied block by block: a closure for each byte takes minutes under sanitizers.
    let block = (0..<65536).map { UInt8(truncatingIfNeeded: $0 >> 4) }
    var payload: [UInt8] = []
    while payload.count < Side.messageLimit { payload += block }
    let wire = side.incoming(0x82, payload)
    var session = side.session()
    var events: [Received] = []
    for start in stride(from: 0, to: wire.count, by: 65536) {
      events += session.events(in: Array(wire[start...].prefix(65536)))
    }
    #expect(events == [.message(.binary(Data(payload)))])
  }
}

extension Session {
  /// The message that the fast path takes from these bytes; nil when it takes none.
  fileprivate mutating func fastMessage(in bytes: [UInt8]) -> WebSocketMessage? {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      let message = codec.wholeMessage(from: &rest)
      #expect(rest.count == (message == nil ? bytes.count : 0))
      return message
    }
  }
}
