/// Texts of any length, made faster than by `String(repeating:count:)`.
enum Filler {
  /// The pattern again and again, which compresses well.
  static func repeating(_ pattern: StaticString, count: Int) -> String {
    String(unsafeUninitializedCapacity: count) { bytes in
      for index in 0..<count {
        bytes[index] = pattern.utf8Start[index % pattern.utf8CodeUnitCount]
      }
      return count
    }
  }

  /// Letters that compress badly.
  static func mixed(_ count: Int) -> String {
    String(unsafeUninitializedCapacity: count) { bytes in
      var state: UInt32 = 1
      for index in 0..<count {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = 97 + UInt8(state >> 24) % 26
      }
      return count
    }
  }
}
