#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RPCIdentifier {
  /// The id of a request that is not decoded, because it is too long or too deep; nil when it has none.
  ///
  /// Only the object itself is searched, so that depth costs nothing.
  init?(in request: some Sequence<UInt8>) {
    var level = 0
    var isInString = false
    var isEscaped = false
    /// The name or the value at the first level that is being read.
    var part: [UInt8] = []
    var isOfID = false
    var found: RPCIdentifier?
    for byte in request {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        if level == 1, part.count < Self.longest { part.append(byte) }
        continue
      }
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): level += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
      case UInt8(ascii: "\""): isInString = true
      default: break
      }
      guard level <= 1 else {
        // A list or an object is no id.
        isOfID = false
        continue
      }
      switch byte {
      case UInt8(ascii: ":") where level == 1:
        isOfID = part.elementsEqual("\"id\"".utf8)
        part = []
      case UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "}"):
        if isOfID, let id = try? JSONDecoder().decode(RPCIdentifier.self, from: Data(part)) {
          found = id
        }
        (isOfID, part) = (false, [])
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
      default: if level == 1, part.count < Self.longest { part.append(byte) }
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// The most bytes of an id that is found.
  private static let longest = 1_000
}
