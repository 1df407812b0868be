#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Timeline where State: Codable, Action: Codable {
  /// The timeline as a file: a JSON object in each line, the first for how many entries were dropped.
  ///
  /// Actions, states and causes are written as they encode themselves, times as seconds since 2001.
  ///
  /// - Throws: what an action or a state throws when it is encoded.
  public func jsonLines() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let lines = try [encoder.encode(["dropped": dropped])] + entries.map { try encoder.encode($0) }
    return lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
  }
}
