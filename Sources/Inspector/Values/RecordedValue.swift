extension AnyJSON {
  /// The value of a recording as one of the program is shown, as far as JSON has its structure.
  ///
  /// An object is shown like a struct, a list of objects with ids by the ids, and an object that
  /// `Codable` makes of an enum's case as the case.
  ///
  /// - Parameter type: name of the type; empty for one that is not known
  func shown(as type: String = "") -> any Sendable {
    switch self {
    case .null, .bool, .integer, .unsigned, .number, .string: plain
    case .array(let elements): Self.list(elements)
    case .object(let members):
      enumCase.map { RecordedCase(name: $0.name, payload: $0.payload, typeName: type) }
        ?? RecordedObject(members: members, typeName: type)
    }
  }

  /// The action of a recording as one of the program is shown: the case of an enum.
  func shownAction(as type: String = "Action") -> any Sendable {
    switch self {
    case .object(let members):
      guard members.count == 1, let (name, value) = members.first, case .object(let payload) = value
      else { break }
      return RecordedCase(name: name, payload: payload, typeName: type)
    case .string(let name) where Self.isName(name):
      return RecordedCase(name: name, payload: nil, typeName: type)
    default: break
    }
    return shown(as: type)
  }

  /// Whether a text may be the name of a case.
  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 100 && text.first?.isLetter == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// A list that is compared by ids if it has them, and if it is empty: what is added may have them.
  private static func list(_ elements: [AnyJSON]) -> any Sendable {
    let elements = elements.map { RecordedElement(json: $0) }
    let ids = Set(elements.compactMap(\.id))
    return ids.count == elements.count ? IdentifiedArray(elements) : elements
  }

  /// The case that an object stands for, by its associated values; nil for another value.
  ///
  /// A case has one name, and its values are `_0`, `_1` or none: those of a case whose values all have
  /// labels look like a struct.
  private var enumCase: (name: String, payload: [String: AnyJSON])? {
    guard case .object(let members) = self, members.count == 1, let (name, value) = members.first,
      case .object(let payload) = value, payload.isEmpty || payload["_0"] != nil
    else { return nil }
    return (name, payload)
  }

  /// Whether this object and another one are different cases, as far as JSON shows it.
  private func isOtherCase(than other: AnyJSON) -> Bool {
    if let name = onlyName, let otherName = other.onlyName { return name != otherName }
    return enumCase != nil || other.enumCase != nil
  }

  /// The name of the only member of an object; nil for another value.
  private var onlyName: String? { members.flatMap { $0.count == 1 ? $0.keys.first : nil } }

  /// This value and another one, in which objects at the same place have the same names.
  ///
  /// A property that is nil is left out of JSON: it is null here.
  func aligned(with other: AnyJSON) -> (AnyJSON, AnyJSON) {
    switch (self, other) {
    case _ where self == other: return (self, other)
    case (.object(var members), .object(var others)) where !isOtherCase(than: other):
      for name in Set(members.keys).union(others.keys) {
        (members[name], others[name]) =
          (members[name] ?? .null).aligned(with: others[name] ?? .null)
      }
      return (.object(members), .object(others))
    case (.array(var elements), .array(var others)):
      let positions = Dictionary(
        others.enumerated().compactMap { pair in
          RecordedElement(json: pair.element).id.map { ($0, pair.offset) }
        }, uniquingKeysWith: { first, _ in first })
      for index in elements.indices {
        guard let id = RecordedElement(json: elements[index]).id, let position = positions[id]
        else { continue }
        (elements[index], others[position]) = elements[index].aligned(with: others[position])
      }
      return (.array(elements), .array(others))
    default: return (self, other)
    }
  }
}
