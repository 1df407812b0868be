import Foundation

/// Where a command writes its result.
struct Output: Sendable {
  /// Whether lines have colours.
  var isColoured = false
  /// Whether results are printed as JSON.
  var isJSON = false
  /// Writes a line of the result; it may wait until there is room.
  let write: @Sendable (String) -> Void
  /// Writes a line about the result.
  let note: @Sendable (String) -> Void

  func line(_ line: StyledText) { write(isColoured ? line.escaped : line.text) }

  func line(_ text: String) { line(StyledText(text)) }

  /// Writes a result of the protocol in one line.
  func json(_ value: some Encodable) throws { write(try JSONEncoder.ofProtocol.text(of: value)) }
}
