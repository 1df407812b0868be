/// How much of a value is shown.
struct ValueLimits: Sendable {
  /// The most levels of parts below a value.
  var depth = 32
  /// The most elements of a list or a dictionary.
  var children = 100
  /// The most bytes of a string or a description.
  var stringBytes = 4_096
  /// The most values and parts of values.
  var nodes = 5_000
  /// The bytes of all strings and descriptions after which only the first 100 bytes of each are shown.
  var textBytes = 1 << 20

  /// The most properties of an object.
  var properties: Int { children * 10 }

  /// What is shown of a value in a row.
  static let row = ValueLimits(
    depth: 8, children: 10, stringBytes: 1_200, nodes: 200, textBytes: 4_096)
  /// What is read of two values that cannot be compared with `==`.
  static let comparison = ValueLimits(
    depth: 64, children: 1_000, stringBytes: 1 << 20, nodes: 20_000, textBytes: 8 << 20)
  /// What the JSON has of a value that is not `Encodable`.
  static let json = ValueLimits(
    depth: 100, children: 1_000_000, stringBytes: 1 << 20, nodes: 200_000, textBytes: 8 << 20)
}
