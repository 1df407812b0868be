/// Makes data of the program's values, of limited size and without the values that are hidden.
///
/// A value is read by reflection. Only what is shown is read: the size of a state does not matter. An
/// object with properties that other threads write must describe itself, because its properties are read
/// without its lock.
struct ValueReader: Sendable {
  /// What is hidden.
  var redaction = InspectorRedaction.standard
  /// How much is shown.
  var limits = ValueLimits()
  /// Whether the properties and descriptions of objects are read; without them an object is its type.
  var readsObjects = true
  /// How many keys of dictionaries this reader is inside of.
  var keyLevel = 0

  /// The node of a value, or of a part of it.
  ///
  /// Returns nil if there is no such part.
  ///
  /// - Parameters:
  ///   - value: value of the program
  ///   - path: names of the children that lead to the part; the value itself by default
  ///   - from: position of the first child of a list or a dictionary
  ///   - count: number of children; those that a node has at most by default
  func node(
    of value: Any, at path: [String] = [], from: Int = 0, count: Int? = nil
  ) -> ValueNode? {
    part(of: value, at: path).map {
      ValueTree(self, $0, under: path, from: max(0, from), count: max(0, count ?? limits.children))
        .root
    }
  }

  /// The part of a value at a path; nil if there is none.
  private func part(of value: Any, at path: [String]) -> ValuePart? {
    var part = ValuePart(name: "", value: value)
    for (index, name) in path.enumerated() {
      if part.isHidden { return part }
      guard
        case .parts(let parts) = level(of: part.value, under: Array(path[..<index]), textLimit: 0),
        let next = parts.part(named: name, self)
      else { return nil }
      part = next
    }
    return part
  }

  /// The text of a value in one line: `toggle(id: 7)`, `State(rows: [Row(id: 0) and 9,999 more])`.
  ///
  /// Control characters are those of the value.
  ///
  /// - Parameters:
  ///   - value: value of the program
  ///   - path: names of the values around it
  ///   - limit: maximum number of scalars
  func shortText(of value: Any, under path: [String] = [], limit: Int = 300) -> String {
    var reader = self
    reader.limits = .row
    let part = ValuePart(name: "", value: value)
    let tree = ValueTree(reader, part, under: path, from: 0, count: reader.limits.children)
    return ShortValueText(tree.root, limit: limit).text
  }
}

/// A part of a value.
struct ValuePart {
  var name: String
  let value: Any
  var isHidden = false
  /// Whether the part stands for others that are left out.
  var isRest = false
}

/// One level of a value.
enum ValueLevel {
  /// A value without parts, and the bytes of its text.
  case leaf(ValueNode, size: Int)
  case parts(ValueParts)
}

extension ValueReader {
  /// Reads one level of a value.
  ///
  /// - Parameters:
  ///   - path: names that lead to the value
  ///   - textLimit: maximum bytes of a text
  func level(of value: Any, under path: [String], textLimit: Int) -> ValueLevel {
    guard let value = withoutWrappers(value) else { return .leaf(.null, size: 0) }
    if let scalar = scalar(value, textLimit) { return scalar }
    let type = typeName(of: value)
    if !readsObjects, Swift.type(of: value) is AnyClass {
      return .leaf(text: type, textLimit, type: type)
    }
    if let list = value as? any ComparedByID {
      return .parts(ValueParts(kind: .list, type: type, source: .identified(list), path: path))
    }
    let mirror = (value as? any PairList)?.pairs ?? Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .collection, .set, .dictionary:
      return .parts(ValueParts(collection: value, mirror, type: type, path: path))
    default: break
    }
    if describesItself(value), !ValueParts.isHiddenPair(mirror, redaction, path) {
      return .leaf(text: String(describing: value), textLimit, type: type)
    }
    // Other threads may write the properties of an actor.
    if value is any Actor { return .leaf(text: type, textLimit, type: type) }
    return structure(of: value, mirror, type: type, path: path, textLimit: textLimit)
  }

  private func structure(
    of value: Any, _ mirror: Mirror, type: String, path: [String], textLimit: Int
  ) -> ValueLevel {
    let payload = mirror.children.first
    switch mirror.displayStyle {
    case .enum where payload == nil || payload?.label != nil:
      let name = payload?.label ?? String(describing: value)
      var values = payload.map { fields(ofPayload: $0.value, path) } ?? []
      if redaction.hides(name, at: path) {
        for index in values.indices { values[index].isHidden = true }
      }
      return .parts(
        ValueParts(kind: .enumCase(name), type: type, source: .parts(values), path: path))
    case nil where payload == nil:
      // A closure, a type, or another value without reflection.
      return .leaf(text: String(describing: value), textLimit, type: type)
    default:
      let identity =
        Swift.type(of: value) is AnyClass ? ObjectIdentifier(value as AnyObject) : nil
      return .parts(
        ValueParts(
          kind: .object, type: type, source: .parts(fields(of: mirror, path)), path: path,
          identity: identity))
    }
  }

  private func fields(ofPayload payload: Any, _ path: [String]) -> [ValuePart] {
    let mirror = Mirror(reflecting: payload)
    return mirror.displayStyle == .tuple
      ? fields(of: mirror, path) : [ValuePart(name: "0", value: payload)]
  }

  /// The properties of a value, those of a superclass first.
  private func fields(of mirror: Mirror, _ path: [String]) -> [ValuePart] {
    ValueParts.fields(of: mirror, redaction, path, limit: limits.properties)
  }

  /// The value in optionals, property wrappers of the state and `AnyHashable`; nil for nil.
  func withoutWrappers(_ value: Any) -> Any? {
    var value = value
    while true {
      // First: other casts look into optionals by recursion.
      if let optional = value as? any OptionalValue {
        guard let payload = optional.payload else { return nil }
        value = payload
      } else if let wrapped = wrappedValue(of: value) {
        value = wrapped
      } else if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
        value = hashable.base
      } else if let element = value as? RecordedElement {
        value = element.value
      } else {
        return value
      }
    }
  }

  /// A number, a Bool or a string; nil for another value.
  private func scalar(_ value: Any, _ limit: Int) -> ValueLevel? {
    switch value {
    case let text as String: .leaf(string: shown(text, limit))
    case let value as Bool: .leaf(.bool(value), size: 5)
    case let number as any BinaryInteger: .leaf(number: "\(number)", limit)
    case let number as any BinaryFloatingPoint: .leaf(number: "\(number)", limit)
    case let text as Substring: .leaf(string: shown(String(text), limit))
    case let character as Character: .leaf(string: CutText(String(character), limit: limit))
    default: nil
    }
  }

  private func shown(_ text: String, _ limit: Int) -> CutText {
    redaction.hidingValues(inJSON: CutText(text, limit: limit))
  }

  func describesItself(_ value: Any) -> Bool {
    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
  }

  private func typeName(of value: Any) -> String {
    if let part = value as? any RecordedPart { return part.typeName }
    return CutText("\(type(of: value))", limit: 500).withoutAddresses.text
  }
}

/// Pairs of keys and values in their order, which have no mirror of their own.
protocol PairList {
  /// The pairs, as a dictionary's mirror has them.
  var pairs: Mirror { get }
}

extension KeyValuePairs: PairList {
  var pairs: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .dictionary) }
}

/// An optional of any type.
private protocol OptionalValue {
  var payload: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var payload: Any? { map { $0 as Any } }
}

extension ValueLevel {
  fileprivate static func leaf(string: CutText) -> ValueLevel {
    .leaf(.string(string), size: string.text.utf8.count)
  }

  fileprivate static func leaf(number: String, _ limit: Int) -> ValueLevel {
    let text = CutText(number, limit: max(limit, 64)).text
    return .leaf(.number(text), size: text.utf8.count)
  }

  fileprivate static func leaf(text: String, _ limit: Int, type: String) -> ValueLevel {
    let text = CutText(text, limit: limit).withoutAddresses
    return .leaf(.value(text, type: type), size: text.text.utf8.count)
  }
}
