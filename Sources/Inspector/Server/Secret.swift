/// The random first part of the path, without which nothing is served.
struct Secret: Sendable {
  /// 128 random bits, in hexadecimal digits.
  let text: String

  init() {
    var random = SystemRandomNumberGenerator()
    text = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }.hexadecimal
  }

  /// The name behind the secret in a path, `app.js` in `/SECRET/app.js`; nil for another secret.
  func name(in path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, isEqual(parts[1]) else { return nil }
    return String(parts[2])
  }

  /// Compares in a time that does not depend on the position of the first difference.
  private func isEqual(_ candidate: Substring) -> Bool {
    let (own, other) = (Array(text.utf8), Array(candidate.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
