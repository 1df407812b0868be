/// Why a redirect of the server was not followed.
public enum RedirectError: Error, Hashable, Codable, Sendable {
  /// The server redirected more often than `redirectLimit` allows, perhaps in a circle.
  case tooMany(limit: Int)
  /// A redirect from `wss` to this address without TLS, whose traffic others could read.
  case insecure(String)
  /// The server's `Location` is missing, or is not a WebSocket or HTTP address.
  case invalidLocation(String)
}

extension RedirectError: CustomStringConvertible {
  /// One English line: the reason and the location.
  public var description: String {
    switch self {
    case .tooMany(let limit): "more than \(limit) redirects"
    case .insecure(let location): "a redirect from wss to \(location)"
    case .invalidLocation(let location):
      "a redirect to \(location.debugDescription), which is no address of a WebSocket"
    }
  }
}
