/// SHA-1 (RFC 3174), which the handshake of RFC 6455 requires; it provides no security here.
struct SHA1 {
  private var (a, b, c, d, e): (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
  )

  private static let blockSize = 64

  /// The 20 bytes of the digest.
  static func digest(_ message: [UInt8]) -> [UInt8] {
    // A one bit and the length in 8 bytes follow the message.
    let blocks = (message.count + 8) / blockSize + 1
    return withUnsafeTemporaryAllocation(byteCount: blocks * blockSize, alignment: 4) { padded in
      pad(message, into: padded)
      return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
        var state = SHA1()
        for start in stride(from: 0, to: padded.count, by: blockSize) {
          expand(UnsafeRawBufferPointer(rebasing: padded[start..<(start + blockSize)]), into: words)
          state.mix(words)
        }
        return state.bytes
      }
    }
  }

  /// Writes the message, a one bit, zeros up to 8 bytes before the end, and the length in bits.
  private static func pad(_ message: [UInt8], into padded: UnsafeMutableRawBufferPointer) {
    padded.copyBytes(from: message)
    padded[message.count] = 0x80
    padded[(message.count + 1)...].initializeMemory(as: UInt8.self, repeating: 0)
    let length = UInt64(message.count) * 8
    padded.storeBytes(of: length.bigEndian, toByteOffset: padded.count - 8, as: UInt64.self)
  }

  /// Makes the 80 words of a block.
  private static func expand(
    _ block: UnsafeRawBufferPointer, into words: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      let word = block.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
      words.initializeElement(at: index, to: UInt32(bigEndian: word))
    }
    for index in 16..<80 {
      let mixed =
        words[index &- 3] ^ words[index &- 8] ^ words[index &- 14] ^ words[index &- 16]
      words.initializeElement(at: index, to: rotated(mixed, by: 1))
    }
  }

  /// Mixes a block, of which these are the 80 words.
  private mutating func mix(_ words: UnsafeMutableBufferPointer<UInt32>) {
    var now = self
    // `d ^ b & (c ^ d)` is the RFC's `b & c | ~b & d`, and the third one its `b & c | b & d | c & d`.
    for index in 0..<20 {
      now.round(words[index], now.d ^ now.b & (now.c ^ now.d), 0x5A82_7999)
    }
    for index in 20..<40 { now.round(words[index], now.b ^ now.c ^ now.d, 0x6ED9_EBA1) }
    for index in 40..<60 {
      now.round(words[index], now.b & (now.c | now.d) | now.c & now.d, 0x8F1B_BCDC)
    }
    for index in 60..<80 { now.round(words[index], now.b ^ now.c ^ now.d, 0xCA62_C1D6) }
    (a, b, c) = (a &+ now.a, b &+ now.b, c &+ now.c)
    (d, e) = (d &+ now.d, e &+ now.e)
  }

  @inline(__always)
  private mutating func round(_ word: UInt32, _ function: UInt32, _ constant: UInt32) {
    let next = Self.rotated(a, by: 5) &+ function &+ e &+ constant &+ word
    (a, b, c, d, e) = (next, a, Self.rotated(b, by: 30), c, d)
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 &- count)
  }

  private var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 20) { room, count in
      let room = UnsafeMutableRawBufferPointer(room)
      // Five words of four bytes fill the room.
      for (index, word) in [a, b, c, d, e].enumerated() {
        room.storeBytes(of: word.bigEndian, toByteOffset: 4 * index, as: UInt32.self)
      }
      count = 20
    }
  }
}
