#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes a value as a ``JSONTree``, as `JSONEncoder` does by default, with limits.
///
/// Numbers that JSON does not have, such as `nan`, become strings.
struct JSONTreeEncoder: Encoder {
  /// The most levels of a value.
  static let depthLimit = 100
  /// The most bytes of the JSON.
  static let byteLimit = 8 << 20
  /// The most bytes of a string.
  static let stringLimit = 1 << 20

  fileprivate let cell: JSONCell
  fileprivate let progress: EncodingProgress
  /// The names that lead to the value.
  fileprivate let names: [String]
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// The JSON of a value.
  ///
  /// - Throws: ``ValueError`` for a value that exceeds a limit; the error of the value's `encode(to:)`.
  static func tree(
    of value: any Encodable, _ redaction: InspectorRedaction
  ) throws -> JSONTree {
    let progress = EncodingProgress(redaction)
    let cell = JSONCell()
    let encoder = JSONTreeEncoder(cell: cell, progress: progress, names: [], codingPath: [])
    try encoder.encode(value)
    if let failure = progress.failure { throw failure }
    return cell.tree(redaction, [])
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedJSON(encoder: opened(.object)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedJSON(encoder: opened(.array))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleJSON(encoder: opened(nil))
  }

  /// This encoder, whose cell has the container.
  private func opened(_ kind: JSONCell.Kind?) -> JSONTreeEncoder {
    cell.openCount += 1
    // A value that encodes itself with its own encoder has no end.
    if cell.openCount > Self.depthLimit { progress.failure = .tooDeep(limit: Self.depthLimit) }
    if let kind { cell.become(kind) }
    return self
  }

  /// The encoder of a part, which is hidden if its name is.
  fileprivate func part(_ key: any CodingKey, isHidden: Bool = false) -> JSONTreeEncoder {
    let part = JSONCell()
    guard codingPath.count < Self.depthLimit else {
      // Not a part of anything: the encoding has failed.
      progress.failure = .tooDeep(limit: Self.depthLimit)
      return JSONTreeEncoder(cell: part, progress: progress, names: names, codingPath: codingPath)
    }
    // What is encoded in place of a hidden value is released.
    cell.add(isHidden ? JSONCell(.leaf(.redacted)) : part, key)
    let name = key.intValue.map(String.init) ?? key.stringValue
    return JSONTreeEncoder(
      cell: part, progress: progress, names: names + [name], codingPath: codingPath + [key])
  }

  fileprivate func hides(_ key: any CodingKey) -> Bool {
    progress.redaction.hides(key.stringValue, at: names)
  }

  /// Encodes a part, unless its name is hidden.
  fileprivate func encode(
    _ value: some Encodable, _ key: any CodingKey, isHidden: Bool = false
  ) throws {
    if let failure = progress.failure { throw failure }
    if isHidden, !isEmpty(value) {
      cell.add(JSONCell(.leaf(.redacted)), key)
    } else if let leaf = try leaf(value) {
      // Without an encoder of its own, which costs more than the leaf.
      cell.add(JSONCell(.leaf(leaf)), key)
      try progress.use(2 * codingPath.count + 4)
    } else {
      try part(key).encode(value)
    }
  }

  /// Whether a value hides nothing: a recording then has the value with which composers begin.
  private func isEmpty(_ value: some Encodable) -> Bool {
    value is JSONNull || (value as? any Collection)?.isEmpty == true
  }

  /// Encodes a value in this encoder's cell.
  fileprivate func encode(_ value: some Encodable) throws {
    if let failure = progress.failure { throw failure }
    if let leaf = try leaf(value) {
      cell.become(.leaf(leaf))
    } else {
      try value.encode(to: self)
    }
    try progress.use(2 * codingPath.count + 4)
  }

  /// The JSON of a value without parts; nil for another one.
  private func leaf(_ value: some Encodable) throws -> JSONTree? {
    switch value {
    case let text as String: return .string(try progress.cut(text))
    case let value as Bool: return .bool(value)
    case is Int, is Int8, is Int16, is Int32, is Int64, is Int128, is UInt, is UInt8, is UInt16,
      is UInt32, is UInt64, is UInt128:
      return .number(try progress.cut("\(value)"))
    case let number as Double: return try leaf(ofNumber: number)
    case let number as Float: return try leaf(ofNumber: number)
    case let number as Decimal:
      let text = try progress.cut("\(number)")
      return number.isNaN ? .string(text) : .number(text)
    case let url as URL: return .string(try progress.cut(url.absoluteString))
    case let data as Data:
      try progress.use(data.count / 3 * 4)
      return .string(data.base64EncodedString())
    default: return nil
    }
  }

  private func leaf(ofNumber number: some BinaryFloatingPoint) throws -> JSONTree {
    let text = try progress.cut("\(number)")
    if !number.isFinite { return .string(text) }
    return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

/// What all encoders of one value share.
private final class EncodingProgress {
  let redaction: InspectorRedaction
  /// The error that ends the encoding, of a place that cannot throw.
  var failure: ValueError?
  private var room = JSONTreeEncoder.byteLimit

  init(_ redaction: InspectorRedaction) { self.redaction = redaction }

  func use(_ bytes: Int) throws {
    room -= bytes
    if room < 0 { throw ValueError.tooLarge(limit: JSONTreeEncoder.byteLimit) }
  }

  func cut(_ text: String) throws -> String {
    let cut = CutText(text, limit: JSONTreeEncoder.stringLimit)
    let text = redaction.hidingValues(inJSON: cut).noted
    try use(text.utf8.count + 2)
    return text
  }
}

extension CutText {
  /// The text; the beginning with a note if that is all there is.
  var noted: String { size.map { "\(text)… (\(grouped($0)) bytes)" } ?? text }
}

/// A value of JSON while it is encoded.
private final class JSONCell {
  enum Kind { case empty, leaf(JSONTree), array, object }

  private(set) var kind: Kind
  /// The number of containers that were asked for.
  var openCount = 0
  // Not in `kind`: a payload that is taken out and put back is copied.
  private var elements: [JSONCell] = []
  private var values: [String: JSONCell] = [:]

  init(_ kind: Kind = .empty) { self.kind = kind }

  /// The number of elements.
  var count: Int { elements.count }

  /// Replaces what was encoded, unless it is a container of the same kind.
  func become(_ kind: Kind) {
    switch (self.kind, kind) {
    case (.array, .array), (.object, .object): return
    default: break
    }
    self.kind = kind
    (elements, values) = ([], [:])
  }

  func add(_ cell: JSONCell, _ key: any CodingKey) {
    switch kind {
    case .object: values[key.stringValue] = cell
    case .array: elements.append(cell)
    case .empty, .leaf: break
    }
  }

  /// The tree without the values that names beside them hide.
  func tree(_ redaction: InspectorRedaction, _ path: [String]) -> JSONTree {
    switch kind {
    case .empty: return .object([:])
    case .leaf(let tree): return tree
    case .array:
      let trees = elements.enumerated().map { $1.tree(redaction, path + ["\($0)"]) }
      return JSONTree.array(trees).hidingPairs(redaction, path)
    case .object:
      var trees: [String: JSONTree] = [:]
      for (name, cell) in values { trees[name] = cell.tree(redaction, path + [name]) }
      return JSONTree.object(trees).hidingPairs(redaction, path)
    }
  }
}

private struct KeyedJSON<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) throws { try encode(JSONNull(), forKey: key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encoder.progress.use(key.stringValue.utf8.count + 4)
    try encoder.encode(value, key, isHidden: encoder.hides(key))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.part(key, isHidden: encoder.hides(key)).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.part(key, isHidden: encoder.hides(key)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.part(JSONKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder {
    encoder.part(key, isHidden: encoder.hides(key))
  }
}

private struct UnkeyedJSON: UnkeyedEncodingContainer {
  let encoder: JSONTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.cell.count }

  private func part() -> JSONTreeEncoder { encoder.part(JSONKey(intValue: count)) }

  func encodeNil() throws { try encode(JSONNull()) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try encoder.encode(value, JSONKey(intValue: count))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> { part().container(keyedBy: keyType) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { part().unkeyedContainer() }

  func superEncoder() -> any Encoder { part() }
}

private struct SingleJSON: SingleValueEncodingContainer {
  let encoder: JSONTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { encoder.cell.become(.leaf(.null)) }

  func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
}

/// Nil in a container.
private struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

private struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}
