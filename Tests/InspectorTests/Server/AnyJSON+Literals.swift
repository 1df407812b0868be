@testable import Inspector

extension AnyJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
  /// An object in the source code.
  public init(dictionaryLiteral elements: (String, AnyJSON)...) {
    self = .object(Dictionary(uniqueKeysWithValues: elements))
  }

  /// A list in the source code.
  public init(arrayLiteral elements: AnyJSON...) { self = .array(elements) }

  /// A text in the source code.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A whole number in the source code.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A truth value in the source code.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  subscript(name: String) -> AnyJSON? {
    if case .object(let values) = self { values[name] } else { nil }
  }

  subscript(index: Int) -> AnyJSON? {
    if case .array(let values) = self, values.indices.contains(index) { values[index] } else { nil }
  }

  var elements: [AnyJSON] { if case .array(let values) = self { values } else { [] } }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  var number: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}
