/// A decoder that answers with placeholders and records what it was asked.
struct TemplateDecoder: Decoder {
  let node: TemplateNode
  /// The case that the decoded enum shall have; nil where no enum decodes itself.
  let choice: EnumChoice?
  /// Whether texts beside the name of a case are that name, not empty.
  let fillsTexts: Bool
  /// Whether the decoded type is an optional, which shall be nil.
  let isNull: Bool
  /// The types that are being decoded, outer ones first, without the root.
  let types: [ObjectIdentifier]
  let codingPath: [any CodingKey]
  /// The wanted cases of enums, by their paths.
  let cases: [[String]: String]
  let limits: TemplateLimits

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    node.becomeObject()
    return KeyedDecodingContainer(TemplateMembers(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    node.becomeList()
    return TemplateElements(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    TemplateScalar(decoder: self)
  }

  /// The decoder of a value inside this one that is asked for without its type.
  func nested(_ node: TemplateNode, key: (any CodingKey)?) -> TemplateDecoder {
    TemplateDecoder(
      node: node, choice: nil, fillsTexts: fillsTexts, isNull: false, types: types,
      codingPath: codingPath + (key.map { [$0] } ?? []), cases: cases, limits: limits)
  }

  /// Decodes a value inside this one and records it in `node`.
  func decode<Value: Decodable>(
    _ type: Value.Type, into node: TemplateNode, key: (any CodingKey)?
  ) throws -> Value {
    try limits.count()
    let text = fillsTexts ? choice?.name ?? "" : ""
    if let placeholder = Placeholder(type, text: text) {
      node.set(placeholder.json)
      return placeholder.value
    }
    func value(_ node: TemplateNode, _ choice: EnumChoice?, isNull: Bool) throws -> Value {
      try Value(
        from: TemplateDecoder(
          node: node, choice: choice, fillsTexts: fillsTexts, isNull: isNull,
          types: types + [ObjectIdentifier(type)],
          codingPath: codingPath + (key.map { [$0] } ?? []), cases: cases, limits: limits))
    }
    if type is any OptionalType.Type {
      node.set(.null)
      return try value(node, nil, isNull: true)
    }
    // A type within itself never ends; another case of an enum around it may.
    guard !types.contains(ObjectIdentifier(type)), types.count < TemplateLimits.depth else {
      throw TemplateLimits.Exceeded()
    }
    var choices = EnumChoice.all(of: type)
    if choices.isEmpty { return try value(node, nil, isNull: false) }

    // An enum of kinds often has the names of the cases of the enum that has it.
    let names = choices.map(\.name)
    let path = (codingPath + (key.map { [$0] } ?? [])).map(\.stringValue)
    let isKind = choice.map { names.contains($0.name) } ?? false
    let wanted = isKind ? choice?.name : cases[path]
    if let index = choices.firstIndex(where: { $0.name == wanted }) {
      choices.insert(choices.remove(at: index), at: 0)
    }
    // The case of the enum around it decides.
    let offered = isKind ? [] : names
    var first: (node: TemplateNode, name: String, error: any Error)?
    for choice in choices {
      let attempt = TemplateNode()
      do {
        let value = try value(attempt, choice, isNull: false)
        node.set(attempt, case: choice.name, of: offered)
        return value
      } catch {
        first = first ?? (attempt, choice.name, error)
      }
    }
    guard let first else { throw TemplateLimits.Exceeded() }
    node.set(first.node, case: first.name, of: offered)
    throw first.error
  }
}

/// The work that one template may take.
final class TemplateLimits {
  /// Number of types inside each other.
  static let depth = 32

  /// The type asks for too much, or for itself inside itself.
  struct Exceeded: Error {}

  private var remaining = 10_000

  /// Counts a value.
  ///
  /// Without a limit, enums that have each other in many cases would be tried in all combinations.
  func count() throws {
    guard remaining > 0 else { throw Exceeded() }
    remaining -= 1
  }
}

/// A type that is an optional.
private protocol OptionalType {}
extension Optional: OptionalType {}

private struct TemplateScalar: SingleValueDecodingContainer {
  let decoder: TemplateDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    if decoder.isNull { decoder.node.set(.null) }
    return decoder.isNull
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let choice = decoder.choice {
      // The enum asks for its raw value.
      let placeholder =
        Placeholder<Value>(rawValue: choice.rawValue)
        ?? Placeholder(type, text: choice.name, number: choice.index)
      if let placeholder {
        try decoder.limits.count()
        decoder.node.set(placeholder.json)
        return placeholder.value
      }
    }
    return try decoder.decode(type, into: decoder.node, key: nil)
  }
}

private struct TemplateElements: UnkeyedDecodingContainer {
  let decoder: TemplateDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  // A type that asks for the end has an empty list. One that does not, as `Range`, has its elements.
  var count: Int? { decoder.node.count }
  var isAtEnd: Bool { true }
  var currentIndex: Int { decoder.node.count }

  func decodeNil() throws -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.decode(type, into: decoder.node.appendElement(), key: nil)
  }

  func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    try superDecoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try decoder.limits.count()
    return decoder.nested(decoder.node.appendElement(), key: nil)
  }
}

private struct TemplateMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: TemplateDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  /// The wanted case of an enum, and nothing of a dictionary.
  var allKeys: [Key] {
    decoder.choice.flatMap { Key(stringValue: $0.name) }.map { [$0] } ?? []
  }

  func contains(_ key: Key) -> Bool {
    if isOtherCase(key) { return false }
    _ = decoder.node.member(key.stringValue)
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try checkCase(key)
    if key.stringValue == decoder.choice?.name { return false }
    decoder.node.member(key.stringValue).set(.null)
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try checkCase(key)
    return try decoder.decode(type, into: decoder.node.member(key.stringValue), key: key)
  }

  func nestedContainer<Name: CodingKey>(
    keyedBy type: Name.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Name> {
    try superDecoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try superDecoder(forKey: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try decoder.limits.count()
    return decoder.nested(decoder.node.member("super"), key: nil)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try checkCase(key)
    try decoder.limits.count()
    return decoder.nested(decoder.node.member(key.stringValue), key: key)
  }

  /// Whether `key` names another case than the wanted one, so that its value is absent.
  private func isOtherCase(_ key: Key) -> Bool {
    decoder.choice?.otherNames.contains(key.stringValue) ?? false
  }

  private func checkCase(_ key: Key) throws {
    guard isOtherCase(key) else { return }
    throw DecodingError.keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: "Another case is decoded."))
  }
}
