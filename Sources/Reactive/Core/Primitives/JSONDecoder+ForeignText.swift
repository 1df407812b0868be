#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONDecoder {
  /// Decodes JSON that this program has not written itself: of a peer, or of a file.
  ///
  /// `decode(_:from:)` of Swift 6.3 traps when a text ends with the bracket of an array on level 513,
  /// because it looks for the place of that error behind the end. No JSON ends with such a bracket.
  ///
  /// - Throws: the errors of `decode(_:from:)`.
  package func decode<Value: Decodable>(_ type: Value.Type, fromForeign data: Data) throws -> Value
  {
    // The decoder reads UTF-16 and UTF-32 too, where the last bytes may be zero.
    let last = data.last { $0 != 0 }
    if last == UInt8(ascii: "[") || last == UInt8(ascii: "{") {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "The JSON ends with a bracket."))
    }
    return try decode(type, from: data)
  }
}
