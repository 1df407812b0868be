/// SHA-1 (RFC 3174), which the handshake of RFC 6455 requires; it provides no security here.
struct SHA1 {
  private var (a, b, c, d, e): (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
  )

  /// The 20 bytes of the digest.
  static func digest(_ message: consuming [UInt8]) -> [UInt8] {
    var state = SHA1()
    pad(&message)
    message.withUnsafeBytes { message in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
        for start in stride(from: 0, to: message.count, by: 64) {
          for index in 0..<16 {
            // `pad` has made whole blocks.
            let word = message.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self)
            words.initializeElement(at: index, to: UInt32(bigEndian: word))
          }
          for index in 16..<80 {
            let mixed =
              words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.initializeElement(at: index, to: rotated(mixed, by: 1))
          }
          state.mix(words)
        }
      }
    }
    return state.bytes
  }

  /// Appends a one bit, zeros up to 8 bytes before a full block, and the length in bits.
  private static func pad(_ message: inout [UInt8]) {
    let length = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    append(length, to: &message)
  }

  /// Mixes a block, of which these are the 80 words.
  private mutating func mix(_ words: UnsafeMutableBufferPointer<UInt32>) {
    let before = self
    for index in 0..<20 { round(words[index], b & c | ~b & d, 0x5A82_7999) }
    for index in 20..<40 { round(words[index], b ^ c ^ d, 0x6ED9_EBA1) }
    for index in 40..<60 { round(words[index], b & c | b & d | c & d, 0x8F1B_BCDC) }
    for index in 60..<80 { round(words[index], b ^ c ^ d, 0xCA62_C1D6) }
    (a, b, c) = (a &+ before.a, b &+ before.b, c &+ before.c)
    (d, e) = (d &+ before.d, e &+ before.e)
  }

  private mutating func round(_ word: UInt32, _ function: UInt32, _ constant: UInt32) {
    let next = Self.rotated(a, by: 5) &+ function &+ e &+ constant &+ word
    (a, b, c, d, e) = (next, a, Self.rotated(b, by: 30), c, d)
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    for word in [a, b, c, d, e] { Self.append(word, to: &bytes) }
    return bytes
  }

  private static func append(_ word: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: word.bigEndian) { bytes += $0 }
  }
}
