/// Why a value has no JSON.
enum ValueError: Error, Equatable, CustomStringConvertible {
  /// The value is nested deeper than `limit` levels, or contains itself: read a part of it.
  case tooDeep(limit: Int)
  /// The JSON is longer than `limit` bytes: read a part of the value.
  case tooLarge(limit: Int)
  /// The value has no part at this path.
  case noPart([String])
  /// The JSON of the value does not have the part: its type encodes itself in another way.
  case noJSON([String])
  /// The part is in a set, whose elements have another order in each JSON: read the set.
  case elementOfSet([String])

  var description: String {
    switch self {
    case .tooDeep(let limit):
      """
      The value has more than \(limit) levels, or contains itself. Open its parts one by one instead of \
      asking for JSON.
      """
    case .tooLarge(let limit):
      """
      The JSON of the value has more than \(grouped(limit)) bytes. Open its parts one by one instead of \
      asking for JSON.
      """
    case .noPart(let path): "The state has no value at \(path.joined(separator: "."))."
    case .noJSON(let path):
      """
      The JSON of the state has no value at \(path.joined(separator: ".")): its type encodes itself in \
      another way. Ask for a value around it.
      """
    case .elementOfSet(let path):
      """
      \(path.joined(separator: ".")) is in a set, whose elements have no order. Ask for the whole set.
      """
    }
  }
}
