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

  /// About the bytes that this value keeps.
  var retainedBytes: Int {
    switch self {
    case .null, .bool, .integer, .unsigned, .number: 0
    case .string(let text): text.utf8.count
    case .array(let values): values.reduce(32) { $0 + 24 + $1.retainedBytes }
    case .object(let values):
      values.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.retainedBytes }
    }
  }
}
