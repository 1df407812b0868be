#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parts of one value, of which only those are read that are asked for.
struct ValueParts {
  enum Kind {
    case object, list, dictionary
    /// A case of an enum, whose parts are its associated values.
    case enumCase(String)
  }

  enum Source {
    case parts([ValuePart])
    /// A list that is shown by the ids of its elements.
    case identified(any ComparedByID)
    /// The elements of a collection.
    case elements(Mirror.Children, count: Int, of: Any, isOrdered: Bool)
  }

  let kind: Kind
  let type: String
  let source: Source
  /// The names that lead to the value.
  let path: [String]
  /// What identifies an object.
  var identity: ObjectIdentifier?

  /// The number of elements that are counted where counting is slow.
  private static let countLimit = 100_000
  /// The number of elements up to which those without an order are sorted by their texts.
  private static let sortLimit = 100

  /// The number of all parts.
  var count: Int {
    switch source {
    case .parts(let parts): parts.count
    case .identified(let list): list.count
    case .elements(_, let count, _, _): count
    }
  }

  /// The parts at these positions.
  func parts(from: Int, count: Int, _ reader: ValueReader) -> [ValuePart] {
    guard from < self.count else { return [] }
    let end = from + min(count, self.count - from)
    switch source {
    case .parts(let parts): return Array(parts[from..<end])
    case .identified(let list):
      return (from..<end).map { position in
        let element = list.element(at: position)
        return ValuePart(name: "id: \(reader.keyText(element.id))", value: element.element)
      }
    case .elements(let children, let total, _, let isOrdered):
      if isOrdered || total > Self.sortLimit {
        return elements(children.dropFirst(from).prefix(end - from), from: from, reader)
      }
      return Array(sorted(elements(children.prefix(total), from: 0, reader), reader)[from..<end])
    }
  }

  /// The part of this name; nil if there is none.
  func part(named name: String, _ reader: ValueReader) -> ValuePart? {
    switch source {
    case .parts(let parts): return parts.first { $0.name == name && !$0.isRest }
    case .identified(let list):
      guard name.hasPrefix("id: ") else { return nil }
      let position = position(in: list, ofID: String(name.dropFirst(4)), reader)
      return position.flatMap { parts(from: $0, count: 1, reader).first }
    case .elements(_, _, let collection, _):
      if case .list = kind {
        return Int(name).flatMap { $0 < 0 ? nil : parts(from: $0, count: 1, reader).first }
      }
      if let value = (collection as? any ReadByKeyText)?.value(forKeyText: name) {
        let isHidden = reader.redaction.hides(name, at: path)
        return ValuePart(name: name, value: value, isHidden: isHidden)
      }
      return parts(from: 0, count: Self.countLimit, reader).first { $0.name == name }
    }
  }

  private func position(
    in list: any ComparedByID, ofID text: String, _ reader: ValueReader
  ) -> Int? {
    let ids: [Any?] = [Int(text), text, UUID(uuidString: text)]
    for id in ids.compactMap(\.self) {
      if let position = list.position(ofID: id) { return position }
    }
    return (0..<min(list.count, Self.countLimit)).first {
      reader.keyText(list.element(at: $0).id) == text
    }
  }
}

extension ValueParts {
  /// The elements of a collection as its mirror has them.
  init(
    collection value: Any, _ mirror: Mirror, type: String, path: [String]
  ) {
    // A collection knows its count. The children of another value's mirror may be made one by one.
    let children = mirror.children
    let count =
      value is any Collection
      ? children.count : children.prefix(Self.countLimit).count { _ in true }
    self.init(
      kind: mirror.displayStyle == .dictionary ? .dictionary : .list, type: type,
      source: .elements(
        children, count: count, of: value,
        isOrdered: mirror.displayStyle == .collection || value is any PairList),
      path: path)
  }

  private func elements(
    _ children: some Sequence<Mirror.Child>, from: Int, _ reader: ValueReader
  ) -> [ValuePart] {
    children.enumerated().map { offset, child in
      guard case .dictionary = kind else {
        return ValuePart(name: child.label ?? "\(from + offset)", value: child.value)
      }
      return entry(child, reader)
    }
  }

  private func entry(_ child: Mirror.Child, _ reader: ValueReader) -> ValuePart {
    var (name, value) = (child.label ?? "", child.value)
    if child.label == nil {
      let pair = Array(Mirror(reflecting: child.value).children.prefix(2))
      if pair.count == 2 { (name, value) = (reader.keyText(pair[0].value), pair[1].value) }
    }
    return ValuePart(name: name, value: value, isHidden: reader.redaction.hides(name, at: path))
  }

  /// The elements of a set or a dictionary, which have another order in each run.
  private func sorted(_ parts: [ValuePart], _ reader: ValueReader) -> [ValuePart] {
    if case .dictionary = kind { return parts.sorted { isBefore($0.name, $1.name) } }
    let sorted = parts.map { (part: $0, text: reader.keyText($0.value)) }
      .sorted { isBefore($0.text, $1.text) }
    return sorted.enumerated().map { ValuePart(name: "\($0)", value: $1.part.value) }
  }

  private func isBefore(_ one: String, _ other: String) -> Bool {
    if let one = Double(one), let other = Double(other), one != other { return one < other }
    return one < other
  }
}

extension ValueParts {
  /// The properties of a value, those of a superclass first; hidden ones are marked.
  static func fields(
    of mirror: Mirror, _ redaction: InspectorRedaction, _ path: [String], limit: Int
  ) -> [ValuePart] {
    let mirrors = sequence(first: mirror, next: \.superclassMirror).prefix(100)
    var parts: [ValuePart] = []
    for mirror in Array(mirrors).reversed() {
      for child in mirror.children.prefix(limit + 1 - parts.count) {
        let name = name(child.label)
        let isHidden = name.map { redaction.hides($0, at: path) } ?? false
        parts.append(
          ValuePart(name: name ?? "\(parts.count)", value: child.value, isHidden: isHidden))
      }
    }
    if parts.count > limit {
      parts[limit] = ValuePart(name: "…", value: (), isRest: true)
    }
    if let index = hiddenValue(of: parts, mirror, redaction, path) { parts[index].isHidden = true }
    return parts
  }

  /// Whether a value is a pair of a hidden name and a value.
  static func isHiddenPair(
    _ mirror: Mirror, _ redaction: InspectorRedaction, _ path: [String]
  ) -> Bool {
    let labels = mirror.children.prefix(8).map(\.label)
    guard labels.contains("value") || mirror.displayStyle == .tuple else { return false }
    let parts = fields(of: mirror, .none, path, limit: 8)
    return hiddenValue(of: parts, mirror, redaction, path) != nil
  }

  /// The index of the value that a hidden name beside it hides.
  private static func hiddenValue(
    of parts: [ValuePart], _ mirror: Mirror, _ redaction: InspectorRedaction, _ path: [String]
  ) -> Int? {
    if let value = parts.firstIndex(where: { $0.name == "value" }) {
      let isHidden = parts.contains {
        ["name", "key"].contains($0.name) && redaction.hides(pairName($0.value), at: path)
      }
      return isHidden ? value : nil
    }
    guard mirror.displayStyle == .tuple, parts.count == 2, parts[0].name == "0" else { return nil }
    return redaction.hides(pairName(parts[0].value), at: path) ? 1 : nil
  }

  /// The text by which a name hides the value beside it: that of a value without parts, or of its first
  /// property that is a string.
  private static func pairName(_ value: Any) -> String {
    let reader = ValueReader(redaction: .none)
    guard let text = reader.simpleText(value) else {
      let parts = Mirror(reflecting: value).children.prefix(8)
      return parts.lazy.compactMap { $0.value as? String }.first ?? ""
    }
    return text
  }

  /// The name of a stored property; nil for an element without a label.
  static func name(_ label: String?) -> String? {
    guard var name = label?[...] else { return nil }
    if name.hasPrefix(".") { return nil }
    let lazyPrefix = "$__lazy_storage_$_"
    if name.hasPrefix(lazyPrefix) { name = name.dropFirst(lazyPrefix.count) }
    let stripped = name.drop { $0 == "_" }
    return String(stripped.isEmpty ? name : stripped)
  }
}

extension ValueReader {
  /// The text of a key of a dictionary or of an id.
  func keyText(_ value: Any) -> String {
    if !readsObjects, type(of: value) is AnyClass {
      return CutText("\(type(of: value))", limit: 100).withoutAddresses.text
    }
    if let text = simpleText(value) { return text }
    if keyLevel == 2 { return CutText("\(type(of: value))", limit: 100).withoutAddresses.text }
    var reader = self
    reader.keyLevel += 1
    return reader.shortText(of: value, limit: 100)
  }

  /// The text of a value without parts; nil for another one.
  fileprivate func simpleText(_ value: Any) -> String? {
    guard let value = withoutWrappers(value) else { return "nil" }
    if let text = value as? String { return CutText(text, limit: 500).text }
    if value is any Collection & CustomReflectable, !(value is any StringProtocol) { return nil }
    if describesItself(value) {
      return CutText(String(describing: value), limit: 500).withoutAddresses.text
    }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
    return String(describing: value)
  }
}

/// A dictionary that finds a value by the text of its key.
private protocol ReadByKeyText {
  func value(forKeyText text: String) -> Any?
}

extension Dictionary: ReadByKeyText {
  fileprivate func value(forKeyText text: String) -> Any? {
    if let key = text as? Key { return self[key] }
    return (Int(text) as? Key).flatMap { self[$0] }
  }
}
