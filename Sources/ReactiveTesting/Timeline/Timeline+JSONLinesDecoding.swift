import Compose
import Foundation

extension Timeline where State: Codable, Action: Codable {
  /// Reads a timeline, or a part of one, from the text that ``jsonLines()`` returns.
  ///
  /// Skips empty lines.
  ///
  /// - Throws: ``TimelineDecodingError`` for the first line that is not an entry of these types.
  public init(jsonLines: String) throws(TimelineDecodingError) {
    self.init(entries: [])
    let decoder = JSONDecoder()
    let lines = jsonLines.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.map({ Data($0) }).enumerated()
    where line.contains(where: { $0 > 0x20 }) {
      do {
        if entries.isEmpty, let header = try? decoder.decode([String: Int].self, fromForeign: line)
        {
          dropped = header["dropped"] ?? 0
        } else {
          entries.append(try decoder.decode(TraceEvent.self, fromForeign: line))
        }
      } catch { throw TimelineDecodingError(number: index + 1, reason: "\(error)") }
    }
  }
}

/// A line of a timeline's text is not an entry, or is an entry of another composer's types.
public struct TimelineDecodingError: Error {
  /// The number of the line, starting at 1.
  public let number: Int
  /// The description of the decoder's error.
  public let reason: String
}
