/// The address of an inspector: that of its page or of its socket.
struct InspectorAddress: Equatable, Sendable {
  /// `ws://127.0.0.1:51234/SECRET/socket`.
  let socketURL: String
  /// `127.0.0.1:51234`, without the secret.
  let host: String

  /// Reads `http://host:port/SECRET/` or `ws://host:port/SECRET/socket`, also without the scheme.
  init(_ text: String) throws(ArgumentError) {
    let (scheme, rest) = try Self.scheme(of: text)
    let parts = rest.prefix { $0 != "?" && $0 != "#" }
      .split(separator: "/", omittingEmptySubsequences: false)
    guard let host = parts.first, !host.isEmpty else { throw .notAnAddress(text) }
    let path = parts.dropFirst().drop { $0.isEmpty }
    guard let secret = path.first else { throw .noSecret(text) }
    let isKnown = path.dropFirst().allSatisfy { ["", "socket", "index.html"].contains($0) }
    guard isKnown else { throw .notAnAddress(text) }
    self.host = String(host)
    socketURL = "\(scheme)://\(host)/\(secret)/socket"
  }

  private static func scheme(of text: String) throws(ArgumentError) -> (String, Substring) {
    guard let range = text.firstRange(of: "://") else { return ("ws", text[...]) }
    let rest = text[range.upperBound...]
    switch text[..<range.lowerBound].lowercased() {
    case "http", "ws": return ("ws", rest)
    case "https", "wss": return ("wss", rest)
    default: throw .notAnAddress(text)
    }
  }
}
