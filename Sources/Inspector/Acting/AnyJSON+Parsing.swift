#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AnyJSON {
  /// Parses a JSON text.
  ///
  /// - Throws: `TooDeep`, and `DecodingError` when the text is not JSON.
  init(parsing text: String) throws {
    try Self.checkNesting(of: text.utf8)
    self = try JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8))
  }

  /// Checks a JSON text in UTF-8 before `JSONDecoder` reads it: see `JSONNesting`.
  ///
  /// - Throws: `TooDeep`, and `DecodingError` for a zero byte.
  static func checkNesting(of text: some Sequence<UInt8>) throws {
    guard try JSONNesting.isAtMost(deepestLevel, in: text) else {
      throw TooDeep(limit: deepestLevel)
    }
  }
}
