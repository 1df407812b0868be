/// A part of a recording that is shown like a value of the program.
protocol RecordedPart: Encodable, Sendable {
  var json: AnyJSON { get }
  /// The name of the type; empty for one that is not known.
  var typeName: String { get }

  /// Another value of the same type.
  func shown(_ json: AnyJSON) -> any Sendable
}

extension RecordedPart {
  func shown(_ json: AnyJSON) -> any Sendable { json.shown(as: typeName) }

  func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// An object that is shown like a struct, or like a dictionary when it has many members.
struct RecordedObject: RecordedPart, Equatable, CustomReflectable, PairList {
  let members: [String: AnyJSON]
  let typeName: String

  var json: AnyJSON { .object(members) }

  var customMirror: Mirror { mirror(.struct) }

  /// The members of a dictionary are read one page after the other.
  var pairs: Mirror { mirror(members.count > 100 ? .dictionary : .struct) }

  /// The members, sorted by their names: each value is made when it is read.
  private func mirror(_ style: Mirror.DisplayStyle) -> Mirror {
    let sorted = members.sorted { $0.key < $1.key }.lazy.map { name, value in
      (label: Optional(name), value: value.shown() as Any)
    }
    return Mirror(self, children: AnyCollection(sorted), displayStyle: style)
  }
}

/// A case of an enum.
struct RecordedCase: RecordedPart, Equatable, CustomReflectable {
  let name: String
  /// The associated values, of which those without a label are `_0`, `_1`; nil for a case that is a text.
  let payload: [String: AnyJSON]?
  let typeName: String

  var json: AnyJSON { payload.map { .object([name: .object($0)]) } ?? .string(name) }

  func shown(_ json: AnyJSON) -> any Sendable {
    typeName.isEmpty ? json.shown() : json.shownAction(as: typeName)
  }

  var customMirror: Mirror {
    let values = RecordedPayload(values: payload ?? [:])
    let value: Any = values.only?.shown() ?? values
    return Mirror(self, children: [name: value], displayStyle: .enum)
  }
}

/// The associated values of a case, which are shown like a tuple.
struct RecordedPayload: Equatable, CustomReflectable {
  let values: [String: AnyJSON]

  /// The only value, if it has no label.
  var only: AnyJSON? { values.count == 1 ? values["_0"] : nil }

  /// The values in the order of the case: those with labels are sorted, between the others.
  var customMirror: Mirror {
    var labels = values.keys.filter { position(of: $0) == nil }.sorted()[...]
    let children = (0..<values.count).map { position -> Mirror.Child in
      if let value = values["_\(position)"] { return (".\(position)", value.shown()) }
      let label = labels.removeFirst()
      return (label, (values[label] ?? .null).shown())
    }
    return Mirror(self, children: children, displayStyle: .tuple)
  }

  /// The position of a value without a label; nil for another one.
  private func position(of name: String) -> Int? {
    let position = name.hasPrefix("_") ? Int(name.dropFirst()) : nil
    return position.flatMap { "_\($0)" == name && 0..<values.count ~= $0 ? $0 : nil }
  }
}

/// An element of a list, which is shown as its value.
struct RecordedElement: RecordedPart, Equatable, Identifiable, CustomReflectable {
  let json: AnyJSON

  /// The id of an object; nil for an element without one.
  var id: RecordedID? {
    guard case .object(let members) = json else { return nil }
    switch members["id"] {
    case .integer(let number): return .number(number)
    case .string(let text): return .text(text)
    default: return nil
    }
  }

  var typeName: String { "" }
  var value: any Sendable { json.shown() }
  var customMirror: Mirror { Mirror(reflecting: value) }
}

/// The id of an object.
enum RecordedID: Hashable, Sendable, CustomStringConvertible {
  case number(Int64)
  case text(String)

  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): text
    }
  }
}

extension Array: RecordedPart where Element == RecordedElement {
  var json: AnyJSON { .array(map(\.json)) }
  var typeName: String { "" }
}

extension IdentifiedArray: RecordedPart where Element == RecordedElement {
  var json: AnyJSON { .array(map(\.json)) }
  var typeName: String { "" }
}
