import Compose
import Foundation

extension Timeline where State: Codable, Action: Codable {
  /// The timeline of a file that ``jsonLines()`` made, or of a part of one; empty lines are skipped.
  ///
  /// - Throws: ``UnreadableLine`` for the first line that is no entry of these types.
  public init(jsonLines: String) throws(UnreadableLine) {
    self.init(entries: [])
    let decoder = JSONDecoder()
    let lines = jsonLines.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.map({ Data($0) }).enumerated()
    where line.contains(where: { $0 > 0x20 }) {
      do {
        if entries.isEmpty, let header = try? decoder.decode([String: Int].self, from: line) {
          dropped = header["dropped"] ?? 0
        } else {
          entries.append(try decoder.decode(TraceEvent.self, from: line))
        }
      } catch { throw UnreadableLine(number: index + 1, reason: "\(error)") }
    }
  }
}

/// A line of a timeline's file that is no entry, or one of another composer's types.
public struct UnreadableLine: Error {
  /// Which line; the first is 1.
  public let number: Int
  /// What the decoder says.
  public let reason: String
}
