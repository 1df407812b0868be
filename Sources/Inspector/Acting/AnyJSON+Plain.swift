extension AnyJSON {
  /// The value as one of the standard library, which is described without the names of this type.
  var plain: any Sendable {
    switch self {
    case .null: String?.none
    case .bool(let truth): truth
    case .integer(let number): number
    case .unsigned(let number): number
    case .number(let number): number
    case .string(let text): text
    case .array(let values): values.map(\.plain)
    case .object(let values): values.mapValues(\.plain)
    }
  }
}
