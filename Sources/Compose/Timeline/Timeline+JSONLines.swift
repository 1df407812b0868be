#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Timeline where State: Codable, Action: Codable {
  /// The timeline as text for a file: one JSON object a line.
  ///
  /// The first line has the number of dropped entries.
  ///
  /// Actions, states and causes are written by their `Encodable` conformances, times as seconds
  /// since 2001. The `ReactiveTesting` module reads the text with `Timeline(jsonLines:)`.
  ///
  /// - Throws: the error of an action or a state that fails to encode.
  public func jsonLines() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let lines = try [encoder.encode(["dropped": dropped])] + entries.map { try encoder.encode($0) }
    return lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
  }
}
