/// JSON values to start from when an action is written by hand.
enum ActionTemplate {
  /// A JSON value of an action, such as `{"open": {"id": 0}}`.
  ///
  /// The type decodes itself from a decoder that answers with placeholders and records what it was asked:
  /// numbers are 0, texts and lists are empty, optionals are null, a nested enum has the first case that
  /// can be decoded. `JSONDecoder` decodes the result, unless the type's own `init(from:)` refuses the
  /// placeholders: the result then has what was recorded until the error.
  ///
  /// Nil when nothing was recorded, as for a case whose coding key has another name.
  ///
  /// - Parameter cases: the wanted cases of nested enums, by their paths.
  static func template(
    of type: any Decodable.Type, caseNamed name: String, choosing cases: [[String]: String] = [:]
  ) -> Template? {
    let names = EnumCases.names(of: type)
    guard names.isEmpty || names.contains(name) else { return nil }
    guard let choice = EnumChoice.choice(of: type, named: name) else { return nil }

    var part: Template?
    // The second attempt is for `{"kind": "open", "id": 0}`, decoded by hand.
    for fillsTexts in [false, true] {
      let node = TemplateNode()
      let decoder = TemplateDecoder(
        node: node, choice: choice, fillsTexts: fillsTexts, isNull: false,
        types: [], codingPath: [], cases: cases, limits: TemplateLimits())
      do {
        let action = try type.init(from: decoder)
        let decoded = EnumCases.name(of: action, among: names)
        if decoded == nil || decoded == name { return node.template }
      } catch {
        part = part ?? node.template
      }
    }
    return part?.action == .object([:]) ? nil : part
  }
}

/// A case that a template shall have.
struct EnumChoice {
  let name: String
  /// Position among the cases, the raw value of many enums of numbers.
  let index: Int
  let otherNames: Set<String>
  /// Raw value; nil when it is unknown.
  let rawValue: Any?

  /// The case of `type` with this name.
  ///
  /// The only case of a type that has no names of cases is the wanted one.
  static func choice(of type: Any.Type, named name: String) -> EnumChoice? {
    let choices = all(of: type)
    if choices.isEmpty { return EnumChoice(name: name, index: 0, otherNames: [], rawValue: nil) }
    return choices.first { $0.name == name }
  }

  /// All cases of an enum; empty for other types.
  static func all(of type: Any.Type) -> [EnumChoice] {
    var names = EnumCases.names(of: type)
    var rawValues: [Any?] = []
    if let iterable = type as? any CaseIterable.Type {
      let values = firstCases(of: iterable, limit: max(names.count, 1) + 1)
      if names.isEmpty { names = values.prefix(1).map { String(describing: $0) } }
      // Other values than the cases of the enum, by an `allCases` of its own, have unknown names.
      if values.count == names.count {
        rawValues = values.map { ($0 as? any RawRepresentable)?.rawValue }
      }
    }
    let all = Set(names)
    return names.enumerated().map { index, name in
      EnumChoice(
        name: name, index: index, otherNames: all.subtracting([name]),
        rawValue: rawValues.isEmpty ? nil : rawValues[index])
    }
  }

  private static func firstCases<Cases: CaseIterable>(of _: Cases.Type, limit: Int) -> [Any] {
    Array(Cases.allCases.prefix(limit))
  }
}
