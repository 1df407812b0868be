import TestSupport
import Testing

@testable import Sockets

/// Bytes through zlib, without frames.
@Suite(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."), .workerPool)
struct MessageDeflateTests {
  static func deflate(
    threshold: Int = 0,
    bits: Int = 15,
    isKept: Bool = true
  ) -> MessageDeflate {
    let window = MessageDeflate.Window(bits: bits, isKept: isKept)
    return MessageDeflate(threshold: threshold, sending: window, receiving: window)
  }

  private func compressed(_ message: [UInt8], _ deflater: inout MessageDeflater) -> [UInt8]? {
    var compressed: [UInt8]?
    let isCompressed = message.withUnsafeBytes { bytes in
      deflater.deflate(bytes) { compressed = [UInt8]($0) }
    }
    #expect(isCompressed == (compressed != nil))
    return compressed
  }

  private func inflated(
    _ parts: [[UInt8]],
    _ inflater: inout MessageInflater
  ) throws(ProtocolError) -> [UInt8] {
    var inflated: [UInt8] = []
    let take: MessageInflater.Take = { inflated += $0 }
    for part in parts {
      _ = try part.withUnsafeBufferPointer { (part) throws(ProtocolError) in
        try inflater.inflate(UnsafeRawBufferPointer(part), take)
      }
    }
    try inflater.finish(take)
    return inflated
  }

  private static let hello = Array("Hello".utf8)

  @Test func `7.2.3.1, 7.2.3.2: the messages of the RFC are compressed to the bytes of the RFC`() {
    var deflater = MessageDeflater(Self.deflate())
    #expect(
      compressed(Self.hello, &deflater) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    )
    // The second one refers to the first.
    #expect(compressed(Self.hello, &deflater) == [0xF2, 0x00, 0x11, 0x00, 0x00])

    var forgetful = MessageDeflater(Self.deflate(isKept: false))
    let first = compressed(Self.hello, &forgetful)
    #expect(compressed(Self.hello, &forgetful) == first)
  }

  @Test(
    arguments: [
      // 7.2.3.1: one block
      [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
      // 7.2.3.3: a block without compression
      [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
      // 7.2.3.4: a block with BFINAL set
      [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
      // 7.2.3.5: two blocks
      [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
    ] as [[UInt8]])
  func `7.2.3: the examples of the RFC are inflated repeatedly, at any split`(
    example: [UInt8]
  ) throws {
    for isKept in [true, false] {
      var inflater = MessageInflater(Self.deflate(isKept: isKept))
      for (head, tail) in example.splits {
        #expect(try inflated([head, tail], &inflater) == Self.hello)
      }
    }
  }

  @Test func `7.2.3.2: a message can refer to the previous message, also past a last block`() throws
  {
    let examples: [[UInt8]] = [
      [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
    ]
    for example in examples {
      var inflater = MessageInflater(Self.deflate())
      _ = try inflated([example], &inflater)
      #expect(try inflated([[0xF2, 0x00, 0x11, 0x00, 0x00]], &inflater) == Self.hello)

      var forgetful = MessageInflater(Self.deflate(isKept: false))
      _ = try inflated([example], &forgetful)
      #expect(throws: ProtocolError.compressedDataInvalid) {
        try inflated([[0xF2, 0x00, 0x11, 0x00, 0x00]], &forgetful)
      }
    }
  }

  @Test func `7.2.3.6: an empty compressed message is one byte`() throws {
    var inflater = MessageInflater(Self.deflate())
    #expect(try inflated([[0x00]], &inflater) == [])
    #expect(try inflated([[], [0x00], []], &inflater) == [])
    // Our message is sent uncompressed.
    var deflater = MessageDeflater(Self.deflate())
    #expect(compressed([], &deflater) == nil)
  }

  @Test func `7.2.2: compressed data that does not end with a flush is refused`() {
    let example: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    for count in example.indices {
      var inflater = MessageInflater(Self.deflate())
      #expect(throws: ProtocolError.compressedDataInvalid) {
        try inflated([Array(example[..<count])], &inflater)
      }
    }
    // The four bytes that every sender omits.
    var inflater = MessageInflater(Self.deflate())
    #expect(throws: ProtocolError.compressedDataInvalid) {
      try inflated([example + [0x00, 0x00, 0xFF, 0xFF]], &inflater)
    }
  }

  @Test(
    arguments: [
      [0xFF], [0x06], [0x00, 0x05, 0x00, 0x05, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00],
    ] as [[UInt8]])
  func `bytes that are not DEFLATE are refused`(bytes: [UInt8]) {
    var inflater = MessageInflater(Self.deflate())
    #expect(throws: ProtocolError.compressedDataInvalid) { try inflated([bytes], &inflater) }
  }

  @Test func `messages below the threshold are sent uncompressed`() {
    var deflater = MessageDeflater(Self.deflate(threshold: 5))
    #expect(compressed(Array("Hell".utf8), &deflater) == nil)
    #expect(compressed(Self.hello, &deflater) != nil)
  }

  @Test func `with a window of 8 bits, messages are sent uncompressed and received inflated`()
    throws
  {
    let deflate = Self.deflate(bits: 8)
    var deflater = MessageDeflater(deflate)
    #expect(compressed(Self.hello, &deflater) == nil)
    var inflater = MessageInflater(deflate)
    let example: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    #expect(try inflated([example], &inflater) == Self.hello)
  }

  @Test(arguments: 9...15, [true, false])
  func `compressed messages are inflated with every window`(bits: Int, isKept: Bool) throws {
    let deflate = Self.deflate(bits: bits, isKept: isKept)
    var deflater = MessageDeflater(deflate)
    var inflater = MessageInflater(deflate)
    var generator = SeededGenerator(seed: 7692)
    // Longer ones take minutes under a sanitizer.
    let lengths = [1, 2, 100, 1 << bits, 16 << 10, 100_000].prefix(isSanitized ? 4 : 6)
    for length in lengths {
      let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let words = (0..<length).map { _ in UInt8.random(in: 0x61...0x64, using: &generator) }
      for message in [noise, words, [UInt8](repeating: 0, count: length)] {
        let bytes = try #require(compressed(message, &deflater))
        // The slack of the limit (see MessageAssembler).
        #expect(bytes.count <= length + length / 4 + 1024)
        let cut = Int.random(in: 0...bytes.count, using: &generator)
        let isSame =
          try inflated([Array(bytes[..<cut]), Array(bytes[cut...])], &inflater) == message
        #expect(isSame)
      }
    }
  }

  @Test func `inflating stops where its consumer throws`() {
    var deflater = MessageDeflater(Self.deflate())
    let bomb = compressed([UInt8](repeating: 0, count: 64 << 20), &deflater) ?? []
    #expect(bomb.count < 70_000)
    var inflater = MessageInflater(Self.deflate())
    var taken = 0
    #expect(throws: ProtocolError.messageTooLong(length: 1 << 20, limit: 1)) {
      try bomb.withUnsafeBufferPointer { (bytes) throws(ProtocolError) in
        _ = try inflater.inflate(UnsafeRawBufferPointer(bytes)) { (piece) throws(ProtocolError) in
          taken += piece.count
          #expect(piece.count <= 16 << 10)
          if taken >= 1 << 20 { throw .messageTooLong(length: taken, limit: 1) }
        }
      }
    }
    #expect(taken == 1 << 20)
  }

  /// Incompressible bytes.
  private func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 1)
    return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
  }

  @Test func `a deflated piece that fills the output buffer or exceeds it is complete`() throws {
    let room = 16 << 10
    for count in [room - 1, room, room + 1, 2 * room, 5 * room] {
      let message = noise(count)
      var deflater = MessageDeflater(Self.deflate())
      var inflater = MessageInflater(Self.deflate())
      let bytes = try #require(compressed(message, &deflater))
      expectSame(try inflated([bytes], &inflater), message)
    }
  }

  @Test func `a message refers to earlier messages, and inflates in their order only`() throws {
    var deflater = MessageDeflater(Self.deflate())
    let message = noise(1_000)
    let first = try #require(compressed(message, &deflater))
    let second = try #require(compressed(message, &deflater))
    #expect(second.count < 50 && first.count >= 1_000)
    var inflater = MessageInflater(Self.deflate())
    #expect(try inflated([first], &inflater) == message)
    #expect(try inflated([second], &inflater) == message)
    #expect(throws: ProtocolError.compressedDataInvalid) {
      var other = MessageInflater(Self.deflate())
      _ = try inflated([second], &other)
    }
  }

  @Test func `a message that refers further back than the window is refused`() throws {
    let noise = noise(2_000)
    var deflater = MessageDeflater(Self.deflate())
    let bytes = try #require(compressed(noise + noise, &deflater))
    #expect(bytes.count < 3_000)
    var inflater = MessageInflater(Self.deflate())
    #expect(try inflated([bytes], &inflater) == noise + noise)
    #expect(throws: ProtocolError.compressedDataInvalid) {
      var small = MessageInflater(Self.deflate(bits: 9))
      for byte in bytes { _ = try [byte].withUnsafeBytes { try small.inflate($0) { _ in } } }
    }
  }
}
