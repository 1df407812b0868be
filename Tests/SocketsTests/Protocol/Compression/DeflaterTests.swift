#if os(Linux)
import TestSupport
import Testing

@testable import Sockets

/// A deflater followed by an inflater.
@Suite(
  "Compressed bytes", .enabled(if: MessageDeflate.isAvailable, "There is no zlib."), .workerPool)
struct DeflaterTests {
  private func compress(_ message: [UInt8], by deflater: Deflater) -> [UInt8] {
    var compressed: [UInt8] = []
    message.withUnsafeBytes { bytes in deflater.deflate(bytes, isLast: true) { compressed += $0 } }
    return compressed
  }

  private func inflate(_ bytes: [UInt8], by inflater: Inflater) throws -> [UInt8] {
    var inflated: [UInt8] = []
    let take: Inflater.Take = { inflated += $0 }
    _ = try bytes.withUnsafeBytes { try inflater.inflate($0, take) }
    try inflater.finish(take)
    return inflated
  }

  /// Incompressible bytes.
  private func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 1)
    return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
  }

  @Test func `a deflated piece that fills the output buffer or exceeds it is complete`() throws {
    let zlib = try #require(Zlib.shared)
    let room = 16 << 10
    for count in [room - 1, room, room + 1, 2 * room, 5 * room] {
      let message = noise(count)
      let compressed = compress(message, by: Deflater(zlib, windowBits: 15))
      let inflated = try inflate(compressed, by: Inflater(zlib, windowBits: 15))
      expectSame(inflated, message)
    }
  }

  @Test func `a piece refers to earlier pieces of its message, and inflates in their order only`()
    throws
  {
    let zlib = try #require(Zlib.shared)
    let deflater = Deflater(zlib, windowBits: 15)
    let message = noise(1_000)
    let (first, second) = (compress(message, by: deflater), compress(message, by: deflater))
    #expect(second.count < 50 && first.count >= 1_000)
    let inflater = Inflater(zlib, windowBits: 15)
    #expect(try inflate(first, by: inflater) == message)
    #expect(try inflate(second, by: inflater) == message)
    #expect(throws: ProtocolError.compressedDataInvalid) {
      try inflate(second, by: Inflater(zlib, windowBits: 15))
    }
  }

  @Test func `a piece that refers further back than the window is refused`() throws {
    let zlib = try #require(Zlib.shared)
    let (noise, deflater) = (noise(2_000), Deflater(zlib, windowBits: 15))
    let compressed = compress(noise + noise, by: deflater)
    #expect(compressed.count < 3_000)
    #expect(try inflate(compressed, by: Inflater(zlib, windowBits: 15)) == noise + noise)
    #expect(throws: ProtocolError.compressedDataInvalid) {
      let small = Inflater(zlib, windowBits: 9)
      for piece in compressed { _ = try [piece].withUnsafeBytes { try small.inflate($0) { _ in } } }
    }
  }
}
#endif
