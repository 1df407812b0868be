/// Base64 (RFC 4648, section 4) of the few bytes of a handshake.
///
/// Foundation's makes a `Data` and a `String`, which are the greater part of the cost of an answer.
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Whether the byte stands for six bits.
  static func isDigit(_ byte: UInt8) -> Bool {
    // One bit for each character of ASCII.
    let bits: UInt64 = byte < 64 ? 0x03FF_8800_0000_0000 : 0x07FF_FFFE_07FF_FFFE
    return byte < 0x80 && bits >> (byte & 63) & 1 == 1
  }

  /// Appends the digits of `source`.
  static func append(_ source: [UInt8], to text: inout [UInt8]) {
    text.reserveCapacity(text.count + (source.count + 2) / 3 * 4)
    digits.withUnsafeBufferPointer { digits in
      for start in stride(from: 0, to: source.count, by: 3) {
        let count = min(source.count - start, 3)
        var group = 0
        for offset in 0..<3 {
          group = group << 8 | (offset < count ? Int(source[start + offset]) : 0)
        }
        for digit in 0..<4 {
          // Four digits for three bytes; one byte less is one digit less.
          text.append(
            digit <= count ? digits[group &>> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
        }
      }
    }
  }
}
