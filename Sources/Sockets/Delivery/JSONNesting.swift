/// The nesting of the lists and objects of a JSON text.
package enum JSONNesting {
  /// Whether a JSON text in UTF-8 has at most `limit` levels.
  ///
  /// Any text of a stranger needs this check, whatever type is decoded: `JSONDecoder` of Swift 6.3 traps
  /// when a text ends with the first bracket of its level 513, because it computes the place of the error
  /// behind the end.
  ///
  /// - Throws: `DecodingError` for a zero byte, by which `JSONDecoder` would take the text for UTF-16 or
  ///   UTF-32.
  package static func isAtMost(_ limit: Int, in text: some Sequence<UInt8>) throws -> Bool {
    var level = 0
    var isInString = false
    var isEscaped = false
    for byte in text {
      if byte == 0 {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "The text has a zero byte."))
      }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        level += 1
        if level > limit { return false }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
      default: break
      }
    }
    return true
  }
}
