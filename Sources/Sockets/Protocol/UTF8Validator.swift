/// Checks UTF-8 piece by piece, and finds a wrong byte in the very piece that has it (RFC 3629).
///
/// What may follow is one of nine states, so it can be kept from one piece to the next. Runs of
/// ASCII are skipped 32 bytes at a time; the rest takes one look-up and one shift a byte.
struct UTF8Validator {
  private var state = State.complete.shift

  /// Whether all bytes so far were below 80, which spares the String a scan.
  private(set) var isASCII = true

  /// Whether the bytes so far end with a whole code point.
  var isComplete: Bool { state & 63 == State.complete.shift }

  /// Takes the next bytes; false when they cannot be part of UTF-8, now and ever after.
  mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = isComplete ? bytes.endOfASCII(from: 0) : 0
    guard index < bytes.count else { return true }
    isASCII = false
    var state = state
    Self.transitions.withUnsafeBufferPointer { transitions in
      while index < bytes.count {
        // The table has an entry for each of the 256 bytes.
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

  /// What the bytes so far allow to follow.
  ///
  /// Only the second byte of a code point ever has a narrower range than 80...BF. That keeps out
  /// overlong forms, surrogates and values over U+10FFFF (RFC 3629, section 4).
  private enum State: UInt64, CaseIterable {
    case complete, oneMore, twoMore, threeMore, afterE0, afterED, afterF0, afterF4, invalid

    /// Where the state stands in a table entry.
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

  /// For each byte the next states of all nine states, each of them six bits wide.
  ///
  /// They lie at the shift of the state they follow, so that shifting the entry by the current
  /// state leaves the next one in its lowest six bits.
  private static let transitions = (UInt8.min...UInt8.max).map { byte in
    State.allCases.reduce(0) { entry, state in entry | state.next(byte).shift << state.shift }
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

extension UnsafeRawBufferPointer {
  /// Takes at most so many bytes of text off the front, no part of a character's encoding.
  fileprivate mutating func removeText(atMost limit: Int) -> UnsafeRawBufferPointer {
    var end = Swift.min(limit, count)
    while end < count, self[end] & 0xC0 == 0x80 { end -= 1 }
    return removePrefix(end)
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
    guard bytes.count <= PayloadMemory.threshold else {
      self.init(long: bytes, isASCII: isASCII)
      return
    }
    let units = bytes.bindMemory(to: UInt8.self).span
    self.init(copying: UTF8Span(unchecked: units, isKnownASCII: isASCII))
  }

  // Apart, so that the many short ones do not save the registers that this needs.
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

  /// The room of a text that is not complete may have huge pages as far as it will be filled.
  private func useHugePages(for count: Int) {
    _ = utf8.withContiguousStorageIfAvailable { filled in
      guard let start = filled.baseAddress else { return }
      PayloadMemory.useHugePages(from: start, to: start + count)
    }
  }
}
