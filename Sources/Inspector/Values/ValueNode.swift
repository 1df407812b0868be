/// A value of the program as data: a tree of limited size in which hidden values are left out.
///
/// It is encoded as the protocol's section "Values" describes.
enum ValueNode: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number with all its digits, or `nan`, `inf`.
  case number(String)
  case string(CutText)
  /// A value that describes itself, such as a date.
  case value(CutText, type: String)
  /// The stored properties of a struct or a class, or the elements of a tuple.
  case object(type: String, [Child])
  /// The elements; `count` is the number of all if some are left out.
  case list(type: String, [Child], count: Int?)
  /// The values by the texts of their keys; `count` is the number of all if some are left out.
  case dictionary(type: String, [Child], count: Int?)
  /// A case of an enum with its associated values.
  case enumCase(String, type: String, [Child])
  /// A value that is hidden.
  case redacted
  /// A value that is left out.
  case cut(Reason, type: String)

  /// A part of a value.
  struct Child: Encodable, Equatable, Sendable {
    let name: String
    let value: ValueNode
  }

  /// Why a value is left out.
  enum Reason: String, Encodable, Sendable {
    /// It lies too deep.
    case depth
    /// It is an object that contains this place.
    case cycle
    /// The tree has as many nodes as it may have.
    case size
  }
}

extension ValueNode: Encodable {
  private enum CodingKeys: CodingKey { case kind, text, size, type, children, count }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    switch self {
    case .null, .redacted: break
    case .bool(let value): try container.encode("\(value)", forKey: .text)
    case .number(let text): try container.encode(text, forKey: .text)
    case .string(let text):
      try container.encode(text.text, forKey: .text)
      try container.encodeIfPresent(text.size, forKey: .size)
    case .value(let text, let type):
      try container.encode(text.text, forKey: .text)
      try container.encodeIfPresent(text.size, forKey: .size)
      try container.encode(type, forKey: .type)
    case .object(let type, let children):
      try container.encode(type, forKey: .type)
      try container.encode(children, forKey: .children)
    case .list(let type, let children, let count), .dictionary(let type, let children, let count):
      try container.encode(type, forKey: .type)
      try container.encode(children, forKey: .children)
      try container.encodeIfPresent(count, forKey: .count)
    case .enumCase(let name, let type, let children):
      try container.encode(name, forKey: .text)
      try container.encode(type, forKey: .type)
      try container.encode(children, forKey: .children)
    case .cut(let reason, let type):
      try container.encode(reason, forKey: .text)
      try container.encode(type, forKey: .type)
    }
  }

  /// The name of the kind in the protocol.
  private var kind: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .number: "number"
    case .string: "string"
    case .value: "value"
    case .object: "object"
    case .list: "list"
    case .dictionary: "dictionary"
    case .enumCase: "case"
    case .redacted: "redacted"
    case .cut: "cut"
    }
  }
}
