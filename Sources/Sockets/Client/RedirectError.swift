/// Why a redirect of the server was not followed.
public enum RedirectError: Error, Hashable, Sendable {
  /// More servers than `redirectLimit` sent us on, perhaps in a circle.
  case tooMany(limit: Int)
  /// From `wss` to this address without TLS, which anybody on the way could read.
  case insecure(String)
  /// The server's `Location` is missing, or not the address of a WebSocket or of HTTP.
  case invalidLocation(String)
}

extension RedirectError: CustomStringConvertible {
  /// One English line.
  public var description: String {
    switch self {
    case .tooMany(let limit): "more than \(limit) redirects"
    case .insecure(let location): "a redirect from wss to \(location)"
    case .invalidLocation(let location):
      "a redirect to \(location.debugDescription), which is no address of a WebSocket"
    }
  }
}
