/// Checks UTF-8 piece by piece, and finds the first wrong byte in the piece that has it (RFC 3629).
///
/// Between two pieces it remembers what may follow: how many bytes complete the code point, and the
/// range of the next one. Only the second byte has a narrower range than 80...BF; that is what keeps
/// out overlong forms, surrogates and values over U+10FFFF.
struct UTF8Validator {
  private var missing: UInt8 = 0
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Whether all bytes so far were below 80, which spares the String a scan.
  private(set) var isASCII = true

  /// Whether the bytes so far end with a whole code point.
  var isComplete: Bool { missing == 0 }

  /// Takes the next bytes; false when they cannot be part of UTF-8.
  ///
  /// Nothing may be added then.
  mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        index = bytes.endOfASCII(from: index)
        guard index < bytes.count else { break }
        guard begin(bytes[index]) else { return false }
      } else {
        guard bytes[index] >= lowest, bytes[index] <= highest else { return false }
        (missing, lowest, highest) = (missing &- 1, 0x80, 0xBF)
      }
      index &+= 1
    }
    return true
  }

  /// Takes the first byte of a code point beyond ASCII; false when no code point begins so.
  private mutating func begin(_ byte: UInt8) -> Bool {
    isASCII = false
    switch byte {
    case 0xC2...0xDF: (missing, lowest, highest) = (1, 0x80, 0xBF)
    case 0xE0: (missing, lowest, highest) = (2, 0xA0, 0xBF)  // no overlong forms
    case 0xED: (missing, lowest, highest) = (2, 0x80, 0x9F)  // no surrogates
    case 0xE1...0xEF: (missing, lowest, highest) = (2, 0x80, 0xBF)
    case 0xF0: (missing, lowest, highest) = (3, 0x90, 0xBF)  // no overlong forms
    case 0xF1...0xF3: (missing, lowest, highest) = (3, 0x80, 0xBF)
    case 0xF4: (missing, lowest, highest) = (3, 0x80, 0x8F)  // nothing over U+10FFFF
    default: return false  // a continuation, C0 and C1 (overlong), F5 and up (over U+10FFFF)
    }
    return true
  }
}

extension UnsafeRawBufferPointer {
  /// The index of the first byte beyond ASCII at or after `index`, or the end.
  fileprivate func endOfASCII(from index: Int) -> Int {
    var index = index
    // Both loops read only when the bytes they read are inside of the buffer.
    while index &+ 32 <= count {
      let words = loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
      guard words & SIMD4(repeating: 0x8080_8080_8080_8080) == .zero else { break }
      index &+= 32
    }
    while index < count, self[index] < 0x80 { index &+= 1 }
    return index
  }
}

extension String {
  /// The text of these bytes, or nil when they are not UTF-8.
  init?(checkingUTF8 bytes: UnsafeRawBufferPointer) {
    var validator = UTF8Validator()
    guard validator.accept(bytes), validator.isComplete else { return nil }
    self.init(checkedUTF8: bytes, isASCII: validator.isASCII)
  }

  /// The text of bytes that a validator took.
  init(checkedUTF8 bytes: UnsafeRawBufferPointer, isASCII: Bool) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
      self.init(decoding: bytes, as: UTF8.self)
      return
    }
    let units = bytes.bindMemory(to: UInt8.self).span
    self.init(copying: UTF8Span(unchecked: units, isKnownASCII: isASCII))
  }
}
