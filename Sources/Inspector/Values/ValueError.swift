/// Why a value has no JSON.
enum ValueError: Error, Equatable, CustomStringConvertible {
  /// The value is nested deeper than `limit` levels, or contains itself: read a part of it.
  case tooDeep(limit: Int)
  /// The JSON is longer than `limit` bytes: read a part of the value.
  case tooLarge(limit: Int)

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
    }
  }
}
