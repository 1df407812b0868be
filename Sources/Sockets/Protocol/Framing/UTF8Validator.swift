/// Validates UTF-8 piece by piece, and reports an invalid byte in the piece that has it (RFC 3629).
///
/// The bytes that may follow are one of nine states, which is kept between pieces. Runs of ASCII
/// are skipped 32 bytes at a time; every other byte takes one look-up and one shift.
struct UTF8Validator {
  private var state = State.complete.shift

  /// Whether all bytes so far were below 0x80: a String then needs no scan.
  private(set) var isASCII = true

  /// Whether the bytes so far end with a whole code point.
  var isComplete: Bool { state & 63 == State.complete.shift }

  /// Accepts the next bytes; returns false from then on when a byte is invalid.
  mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = isComplete ? bytes.endOfASCII(from: 0) : 0
    guard index < bytes.count else { return true }
    isASCII = false
    var state = state
    Self.transitions.withUnsafeBufferPointer { transitions in
      while index < bytes.count {
        // The table has 256 entries, so every byte is a valid index.
        let end = min(index &+ 16, bytes.count)
        while index < end {
          state = transitions[Int(bytes[index])] &>> (state & 63)
          index &+= 1
        }
        if state & 63 == State.complete.shift { index = bytes.endOfASCII(from: index) }
      }
    }
    self.state = state
    return state & 63 != State.invalid.shift
  }

  /// The bytes that may follow.
  ///
  /// Only the second byte of a code point may have a narrower range than 80...BF. This excludes
  /// overlong forms, surrogates and values above U+10FFFF (RFC 3629, section 4).
  private enum State: UInt64, CaseIterable {
    case complete, oneMore, twoMore, threeMore, afterE0, afterED, afterF0, afterF4, invalid

    /// The position of the state in a table entry, in bits.
    var shift: UInt64 { rawValue * 6 }

    func next(_ byte: UInt8) -> State {
      switch (self, byte) {
      case (.complete, 0x00...0x7F): .complete
      case (.complete, 0xC2...0xDF): .oneMore
      case (.complete, 0xE0): .afterE0
      case (.complete, 0xED): .afterED
      case (.complete, 0xE1...0xEF): .twoMore
      case (.complete, 0xF0): .afterF0
      case (.complete, 0xF1...0xF3): .threeMore
      case (.complete, 0xF4): .afterF4
      case (.oneMore, 0x80...0xBF): .complete
      case (.twoMore, 0x80...0xBF), (.afterE0, 0xA0...0xBF), (.afterED, 0x80...0x9F): .oneMore
      case (.threeMore, 0x80...0xBF), (.afterF0, 0x90...0xBF), (.afterF4, 0x80...0x8F): .twoMore
      default: .invalid
      }
    }
  }

  /// For each byte, the next state of each of the nine states, six bits each.
  ///
  /// A next state is stored at the shift of the state it follows. Shifting the entry by the current
  /// state leaves the next one in the lowest six bits.
  private static let transitions = (UInt8.min...UInt8.max).map { byte in
    State.allCases.reduce(0) { entry, state in entry | state.next(byte).shift << state.shift }
  }
}

extension UnsafeRawBufferPointer {
  /// The index of the first byte at or after `index` that is not ASCII, or the end.
  fileprivate func endOfASCII(from index: Int) -> Int {
    var index = index
    // Both loops read only bytes inside the buffer.
    while index &+ 32 <= count {
      let words = loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
      guard words & SIMD4(repeating: 0x8080_8080_8080_8080) == .zero else { break }
      index &+= 32
    }
    while index < count, self[index] < 0x80 { index &+= 1 }
    return index
  }
}

extension UnsafeRawBufferPointer {
  /// Removes at most `limit` bytes of text from the front, and never a part of a code point.
  fileprivate mutating func removeText(atMost limit: Int) -> UnsafeRawBufferPointer {
    var end = Swift.min(limit, count)
    while end < count, self[end] & 0xC0 == 0x80 { end -= 1 }
    return removePrefix(end)
  }
}

extension String {
  /// Makes text of these bytes; nil unless they are UTF-8.
  init?(checkingUTF8 bytes: UnsafeRawBufferPointer) {
    var validator = UTF8Validator()
    guard validator.accept(bytes), validator.isComplete else { return nil }
    self.init(checkedUTF8: bytes, isASCII: validator.isASCII)
  }

  /// Makes text of bytes that a validator has accepted.
  init(checkedUTF8 bytes: UnsafeRawBufferPointer, isASCII: Bool) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
      self.init(decoding: bytes, as: UTF8.self)
      return
    }
    guard bytes.count <= PayloadMemory.threshold else {
      self.init(long: bytes, isASCII: isASCII)
      return
    }
    let units = bytes.bindMemory(to: UInt8.self).span
    self.init(copying: UTF8Span(unchecked: units, isKnownASCII: isASCII))
  }

  // A separate function: short texts then do not save the registers that it needs.
  @inline(never)
  private init(long bytes: UnsafeRawBufferPointer, isASCII: Bool) {
    self.init()
    reserveCapacity(PayloadMemory.capacity(for: bytes.count))
    var rest = bytes
    while !rest.isEmpty {
      append(String(checkedUTF8: rest.removeText(atMost: 64 << 10), isASCII: isASCII))
      if utf8.count <= 64 << 10 { useHugePages(for: bytes.count) }
    }
  }

  /// Allows huge pages in the unfilled room of an incomplete text, as far as it will be filled.
  private func useHugePages(for count: Int) {
    _ = utf8.withContiguousStorageIfAvailable { filled in
      guard let start = filled.baseAddress else { return }
      PayloadMemory.useHugePages(from: start, to: start + count)
    }
  }
}
