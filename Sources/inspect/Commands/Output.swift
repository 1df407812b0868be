import Foundation

/// Where a command writes its result.
struct Output: Sendable {
  /// Whether lines have colours.
  var isColoured = false
  /// Whether results are printed as JSON.
  var isJSON = false
  /// The columns of the terminal now; nil when the output is no terminal.
  var columns: @Sendable () -> Int? = { nil }
  /// Writes a line of the result; it may wait until there is room.
  let write: @Sendable (String) -> Void
  /// Writes a line about the result.
  let note: @Sendable (String) -> Void

  func line(_ line: StyledText) { write(isColoured ? line.escaped : line.text) }

  func line(_ text: String) { line(StyledText(text)) }

  /// Writes a line of a list, of which a terminal shows what fits.
  func row(_ row: StyledText) { line(columns().map { row.cut(toColumns: $0) } ?? row) }

  /// Writes a text of several lines as it is, for a file; a terminal shows control characters as escapes.
  func text(_ text: String) {
    guard columns() != nil else { return write(text) }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      write(String(line).visible)
    }
  }

  /// Writes a list as lines, or as a JSON object for each element.
  ///
  /// - Parameter none: note about an empty list
  func list<Element: Encodable>(
    _ elements: [Element], none: String, _ lines: ([Element]) -> [StyledText]
  ) throws {
    if elements.isEmpty {
      note(none)
    } else if isJSON {
      for element in elements { try json(element) }
    } else {
      lines(elements).forEach { row($0) }
    }
  }

  /// Writes a result of the protocol in one line.
  func json(_ value: some Encodable) throws { write(try JSONEncoder.ofProtocol.text(of: value)) }
}
