/// Hides values by their names, such as passwords, from all that the inspector shows.
///
/// ```swift
/// var configuration = InspectorConfiguration()
/// configuration.redaction = .standard.hiding("iban", "birthday")
/// try Inspector.start(configuration)
/// ```
///
/// A name is that of a property, a key of a dictionary, a label of an associated value or of a tuple, or
/// that of an enum's case, whose associated values are then hidden. All that lies below a hidden value is
/// hidden with it. A value with `name` (or `key`) and `value`, as a field of HTTP, and a pair without
/// labels, are hidden when the first of the two is a hidden name: what is not shown is the second.
///
/// Errors and ids of effects are texts when the inspector gets them: in them, as in JSON in a string or in a
/// message, the values are hidden that follow a hidden name, as in `rejected(token: "a")` and `token=a`.
///
/// A value that describes itself, as a `URL` does, is shown with its description unless its own name is
/// hidden.
public struct InspectorRedaction: Sendable {
  private let isHidden: @Sendable (_ name: String, _ path: [String]) -> Bool

  /// Hides the values for which `isHidden` returns true.
  ///
  /// It is called often and on any thread.
  ///
  /// - Parameter isHidden: receives a name and the names of the values around it, from the outermost, such
  ///   as `pin` and `["account", "card"]`; positions and ids (`id: 7`) are among them
  public init(_ isHidden: @escaping @Sendable (_ name: String, _ path: [String]) -> Bool) {
    self.isHidden = isHidden
  }

  /// Hides the names that contain `token`, `password`, `authorization` or `secret`, in upper or lower case.
  public static let standard = InspectorRedaction(
    namesContaining: ["token", "password", "authorization", "secret"])

  /// Hides nothing.
  public static let none = InspectorRedaction { _, _ in false }

  /// Hides the names that contain one of these texts, in upper or lower case.
  public init(namesContaining texts: [String]) {
    let texts = texts.map { Array($0.lowercased().utf8) }.filter { !$0.isEmpty }
    isHidden = { name, _ in
      let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
      let bytes = isASCII ? name.utf8.map(lowercased) : Array(name.lowercased().utf8)
      return texts.contains { contains(bytes, $0) }
    }
  }

  /// This redaction, which also hides the names that contain one of these texts, in upper or lower case.
  public func hiding(_ texts: String...) -> InspectorRedaction {
    let others = InspectorRedaction(namesContaining: texts)
    return InspectorRedaction { hides($0, at: $1) || others.hides($0, at: $1) }
  }

  /// Whether the value of this name is hidden.
  ///
  /// - Parameters:
  ///   - name: name of the value
  ///   - path: names of the values around it, from the outermost
  public func hides(_ name: String, at path: [String] = []) -> Bool { isHidden(name, path) }

  /// What is shown in a text in place of a hidden value.
  static let mark = "•••"
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

/// Whether `bytes` have `part`, which is not empty.
private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
  guard bytes.count >= part.count else { return false }
  return (0...bytes.count - part.count).contains { start in
    bytes[start] == part[0] && bytes[start..<start + part.count].elementsEqual(part)
  }
}
