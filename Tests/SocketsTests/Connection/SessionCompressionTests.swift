import Foundation
import TestSupport
import Testing

@testable import Sockets

/// Compressed messages in frames: RFC 7692, section 6, with the bytes of section 7.2.3.
@Suite(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."), .workerPool)
struct SessionCompressionTests {
  private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
  private static let helloAgain: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]

  private func session(
    _ side: Side,
    _ deflate: MessageDeflate = MessageDeflateTests.deflate(),
    messageLimit: Int = Side.messageLimit
  ) -> Session {
    var session = side.session(messageLimit: messageLimit)
    session.codec.use(deflate)
    return session
  }

  /// A compressed message, without frames.
  private func compressed(_ message: [UInt8]) -> [UInt8] {
    var deflater = MessageDeflater(MessageDeflateTests.deflate())
    var bytes: [UInt8] = []
    _ = message.withUnsafeBytes { message in deflater.deflate(message) { bytes = [UInt8]($0) } }
    return bytes
  }

  @Test(arguments: Side.allCases)
  func `compressed, fragmented and plain messages mix at any split of the bytes`(side: Side) {
    let bytes =
      side.incoming(0xC1, Self.hello)
      // Fragments can be split anywhere, with control frames between them.
      + side.incoming(0x41, Array(Self.helloAgain[..<2])) + side.incoming(0x89, "ping")
      + side.incoming(0x00, []) + side.incoming(0x80, Array(Self.helloAgain[2...]))
      + side.incoming(0x81, "plain") + side.incoming(0xC2, Self.helloAgain)
      + side.incoming(0xC1, [0x00]) + side.incoming(0xC1, Self.helloAgain)
    let expected: [Received] = [
      .message(.text("Hello")), .message(.text("Hello")),
      .message(.text("plain")), .message(.binary(Data("Hello".utf8))), .message(.text("")),
      .message(.text("Hello")),
    ]
    for (head, tail) in bytes.splits {
      var session = session(side)
      #expect(session.events(in: head) + session.events(in: tail) == expected)
    }
    var session = session(side)
    #expect(session.eventsByteByByte(in: bytes) == expected)
  }

  @Test func `a repetition at the end of an inflation step is complete`() {
    // A step is 64 KiB; a repetition has 258 bytes at most.
    for count in 65_500...66_000 {
      for isFragmented in [false, true] {
        let compressed = compressed([UInt8](repeating: 0, count: count))
        var session = session(.server)
        let bytes =
          isFragmented
          ? Side.server.incoming(0x42, compressed) + Side.server.incoming(0x80, [])
          : Side.server.incoming(0xC2, compressed)
        #expect(session.events(in: bytes) == [.message(.binary(Data(count: count)))])
      }
    }
  }

  @Test(arguments: [1, 100, 1_000_000], [false, true])
  func `a large compressed message is inflated in steps of 64 KiB`(
    size: Int, wantsFrames: Bool
  ) throws {
    let message = [UInt8](repeating: 7, count: 10 << 20)
    let compressed = compressed(message)
    let middle = compressed.count / 2
    let bytes =
      Side.client.incoming(0x42, Array(compressed[..<middle]))
      + Side.client.incoming(0x80, Array(compressed[middle...]))
      + Side.client.incoming(0x81, "next")
    var session = session(.client)
    session.codec.wantsFrames = wantsFrames
    var events: [MessageCodec.Event] = []
    var calls = 0
    for start in stride(from: 0, to: bytes.count, by: size) {
      try bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { part in
        var input = part
        repeat {
          while let event = try session.codec.next(from: &input) { events.append(event) }
          calls += 1
        } while !input.isEmpty
      }
    }
    #expect(calls >= (10 << 20) / (80 << 10))
    let messages: [WebSocketMessage] = events.compactMap { event in
      if case .message(let message) = event { message } else { nil }
    }
    #expect(messages.map(\.byteCount) == [10 << 20, 4])
    #expect(messages.first == .binary(Data(message)))
    let frames: [Frame] = events.compactMap { event in
      if case .frame(let frame) = event { frame } else { nil }
    }
    #expect(
      frames.map(\.payload.count) == (wantsFrames ? [middle, compressed.count - middle, 4] : []))
    #expect(session.codec.counts.framesReceived == 3)
  }

  @Test(arguments: Side.allCases)
  func `6: RSV1 is allowed only in the first frame of a message`(side: Side) {
    let wrong: [[UInt8]] = [
      side.incoming(0xC8), side.incoming(0xC9), side.incoming(0xCA),
      side.incoming(0x41, []) + side.incoming(0xC0, Self.hello),
      // The other two bits are still refused.
      side.incoming(0xA1), side.incoming(0x91), side.incoming(0xE1, Self.hello),
    ]
    for bytes in wrong {
      var session = session(side)
      #expect(session.events(in: bytes) == [.failed(.reservedBitsSet)])
    }
  }

  @Test(arguments: Side.allCases)
  func `5.2: without compression, RSV1 is refused`(side: Side) {
    var session = side.session()
    #expect(session.events(in: side.incoming(0xC1, Self.hello)) == [.failed(.reservedBitsSet)])
  }

  @Test(arguments: Side.allCases)
  func `frame events have the transferred payload`(side: Side) {
    var session = session(side)
    let bytes =
      side.incoming(0x41, Array(Self.hello[..<3]))
      + side.incoming(0x80, Array(Self.hello[3...]))
    #expect(
      session.events(in: bytes, wantsFrames: true) == [
        .frame(
          Frame(isFinal: false, isCompressed: true, opcode: .text, payload: Data(Self.hello[..<3]))
        ),
        .frame(Frame(opcode: .continuation, payload: Data(Self.hello[3...]))),
        .message(.text("Hello")),
      ]
    )
  }

  @Test(arguments: Side.allCases)
  func `messages at and above the threshold are sent compressed, with RSV1`(side: Side) throws {
    var session = session(side, MessageDeflateTests.deflate(threshold: 5))
    try session.send(.text("Hello"))
    try session.send(.binary(Data("Hello".utf8)))
    try session.send(.text("Hell"))
    try session.send(.text(""))
    try session.ping(Data("Hello".utf8))
    session.close(.normal, reason: "Hello")
    #expect(
      session.drain() == side.outgoing(0xC1, Self.hello) + side.outgoing(0xC2, Self.helloAgain)
        + side.outgoing(0x81, Array("Hell".utf8)) + side.outgoing(0x81)
        + side.outgoing(0x89, Array("Hello".utf8))
        + side.outgoing(0x88, [0x03, 0xE8] + Array("Hello".utf8))
    )
  }

  @Test(arguments: [false, true], [false, true])
  func `a long message is compressed in pieces of 64 KiB, as its frames leave`(
    keepsWindow: Bool, isNoise: Bool
  ) throws {
    var generator = SeededGenerator(seed: 7692)
    let bytes = (0..<(isSanitized ? 1 : 5) << 20).map {
      isNoise ? UInt8.random(in: 0...255, using: &generator) : UInt8(truncatingIfNeeded: $0 >> 18)
    }
    let messages: [WebSocketMessage] = [.text("before"), .binary(Data(bytes)), .text("behind")]
    var deflate = MessageDeflateTests.deflate()
    deflate.sending.isKept = keepsWindow
    deflate.receiving.isKept = keepsWindow
    var session = session(.server, deflate)
    var peer = self.session(.client, deflate)
    for message in messages { try session.send(message) }
    #expect(session.codec.queue.value?.isCompressingInPieces == true)
    var frames: [Frame] = []
    var received: [WebSocketMessage] = []
    while !session.codec.output.isEmpty || session.codec.canFrame {
      let output = session.codec.output.unwrittenBytes
      session.codec.output.consume(output.count)
      let waiting = session.codec.framableBytes
      session.codec.frame()
      // At most one piece is compressed at once.
      #expect(waiting - session.codec.framableBytes <= 2 << 16)
      for event in peer.events(in: output, wantsFrames: true) {
        switch event {
        case .frame(let frame): frames.append(frame)
        case .message(let message): received.append(message)
        default: Issue.record("\(event)")
        }
      }
    }
    #expect(received == messages)
    #expect(session.codec.queue.isNone && session.codec.queuedBytes == 0)
    #expect(frames.allSatisfy { $0.payload.count <= Side.fragmentSize })
    #expect(frames.count { $0.isCompressed } == 3)
    #expect(frames.count { $0.isFinal } == 3)
    #expect(frames.count { $0.payload.isEmpty } == 0)
    #expect(frames.reduce(0) { $0 + $1.payload.count } < (isNoise ? bytes.count + 10_000 : 20_000))
  }

  @Test(arguments: Side.allCases)
  func `invalid compressed data is answered with 1007 after the earlier messages`(side: Side) {
    var session = session(side)
    let bytes = side.incoming(0xC1, Self.hello) + side.incoming(0xC1, [0xFF, 0xFF])
    #expect(
      session.events(in: bytes) == [.message(.text("Hello")), .failed(.compressedDataInvalid)]
    )
    let reason = Array(ProtocolError.compressedDataInvalid.description.utf8)
    #expect(session.drain() == side.outgoing(0x88, [0x03, 0xEF] + reason))
    // A message that ends before its compressed data.
    session = self.session(side)
    let cut = side.incoming(0xC1, Array(Self.hello.dropLast(2)))
    #expect(session.events(in: cut) == [.failed(.compressedDataInvalid)])
  }

  @Test(arguments: Side.allCases)
  func `8.1: a wrong byte fails compressed text before its frame ends`(side: Side) {
    // A stored block, so that the wrong byte is inflated at once; most of the frame is missing.
    let block: [UInt8] = [0x00, 0xFF, 0x00, 0x00, 0xFF, 0x61, 0xC0]
    let frame = side.incoming(0xC1, block + [UInt8](repeating: 0x61, count: 248))
    var session = session(side)
    #expect(session.events(in: Array(frame.dropLast(240))) == [.failed(.textNotUTF8)])
  }

  @Test(arguments: Side.allCases)
  func `the first of two errors is reported at any split of the bytes`(side: Side) {
    // A wrong byte in a stored block, then a block of an invalid type.
    let frame = side.incoming(0xC1, [0x00, 0x01, 0x00, 0xFE, 0xFF, 0xC0, 0x06])
    for (head, tail) in frame.splits {
      var session = session(side)
      let events = session.events(in: head) + session.events(in: tail)
      #expect(events == [.failed(.textNotUTF8)])
    }
  }

  @Test(arguments: Side.allCases)
  func `the message limit counts the inflated size`(side: Side) {
    let message = [UInt8](repeating: 0x61, count: 100_000)
    for (limit, isTaken) in [(100_000, true), (99_999, false)] {
      var session = session(side, messageLimit: limit)
      let events = session.events(in: side.incoming(0xC2, compressed(message)))
      if isTaken {
        #expect(events == [.message(.binary(Data(message)))])
      } else {
        guard case .failed(.messageTooLong(let length, limit: 99_999)) = events.first else {
          Issue.record("\(events)")
          continue
        }
        #expect(length == 100_000)
      }
    }
  }

  @Test(arguments: Side.allCases)
  func `incompressible data can be as long as the limit`(side: Side) {
    var generator = SeededGenerator(seed: 1951)
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var session = session(side, messageLimit: noise.count)
    let bytes = compressed(noise)
    #expect(bytes.count > noise.count)
    let isTaken =
      session.events(in: side.incoming(0xC2, bytes)) == [.message(.binary(Data(noise)))]
    #expect(isTaken)
  }

  @Test(arguments: Side.allCases)
  func `a decompression bomb is answered with 1009 at the message limit`(side: Side) {
    // 1 GiB of zeros is 1 MiB of this.
    let bomb = compressed([UInt8](repeating: 0, count: 64 << 20))
    var session = session(side, messageLimit: 1 << 20)
    let frame = side.incoming(0x42, bomb)
    let opening = Array(frame.prefix(2_000))
    guard
      case .failed(.messageTooLong(let length, limit: 1 << 20)) = session.events(in: opening)
        .first
    else {
      Issue.record("it was taken")
      return
    }
    #expect(length == (1 << 20) + 1)
    #expect(session.drain().starts(with: side.outgoing(0x88, [0x03, 0xF1]).prefix(1)))
  }

  @Test(arguments: Side.allCases)
  func `endless compressed data that inflates to nothing exceeds the message limit`(side: Side) {
    var session = session(side, messageLimit: 1000)
    // Empty stored blocks.
    let blocks = [[UInt8]](repeating: [0x00, 0x00, 0x00, 0xFF, 0xFF], count: 100).flatMap { $0 }
    var events = session.events(in: side.incoming(0x41, blocks))
    for _ in 0..<20 { events += session.events(in: side.incoming(0x00, blocks)) }
    #expect(events == [.failed(.messageTooLong(length: 2500, limit: 1000))])
    // The header alone is enough.
    session = self.session(side, messageLimit: 1000)
    let header = Array(side.incoming(0xC1, [UInt8](repeating: 0, count: 3000)).prefix(8))
    #expect(session.events(in: header) == [.failed(.messageTooLong(length: 3000, limit: 1000))])
  }
}
