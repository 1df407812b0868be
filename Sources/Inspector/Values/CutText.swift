/// A text, or the beginning of one that is too long.
struct CutText: Equatable, Sendable {
  /// The text, or its beginning.
  let text: String
  /// The size of the whole text in bytes; nil if `text` is all of it.
  let size: Int?

  /// Cuts a text after a scalar, so that it has at most `limit` bytes.
  init(_ text: String, limit: Int) {
    let bytes = text.utf8
    guard let end = bytes.index(bytes.startIndex, offsetBy: limit + 1, limitedBy: bytes.endIndex)
    else {
      (self.text, size) = (text, nil)
      return
    }
    var last = bytes.index(before: end)
    // The bytes of a scalar after its first one are 10xxxxxx.
    while last > bytes.startIndex, bytes[last] & 0b1100_0000 == 0b1000_0000 {
      last = bytes.index(before: last)
    }
    self.text = String(text[..<last])
    size = bytes.count
  }

  private init(text: String, size: Int?) { (self.text, self.size) = (text, size) }

  /// The text with other contents.
  func replacing(_ contents: (String) -> String) -> CutText {
    CutText(text: contents(text), size: size)
  }

  /// The text without addresses; see `String.withoutAddresses`.
  var withoutAddresses: CutText { CutText(text: text.withoutAddresses, size: size) }
}
