/// Splits bytes into lines, of which it holds at most a limit.
struct LineSplitter {
  enum Line: Equatable, Sendable {
    case text(String)
    /// A line beyond the limit, which was skipped.
    case tooLong
  }

  /// The most bytes of a line.
  let limit: Int
  private var line: [UInt8] = []
  /// Whether the line is beyond the limit, so that its bytes are dropped.
  private var isTooLong = false

  init(limit: Int) { self.limit = limit }

  /// The lines that end in these bytes.
  mutating func receive(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      lines.append(take())
      rest = rest[(end + 1)...]
    }
    append(rest)
    return lines
  }

  /// The line without an end at the end of the input; nil for none.
  mutating func end() -> Line? { line.isEmpty && !isTooLong ? nil : take() }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    if !isTooLong, line.count + bytes.count > limit {
      isTooLong = true
      line = []
    }
    if !isTooLong { line += bytes }
  }

  private mutating func take() -> Line {
    defer { (line, isTooLong) = ([], false) }
    return isTooLong ? .tooLong : .text(String(decoding: line, as: UTF8.self))
  }
}
