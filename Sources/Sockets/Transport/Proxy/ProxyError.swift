/// The reason why a proxy did not connect to the server.
public enum ProxyError: Error, Hashable, Codable, Sendable {
  /// The configuration or the environment has no valid URL of a proxy. Write `http://host:port`.
  case invalidURL
  /// The proxy is of another kind, such as `socks5` or `https`. Use an HTTP proxy.
  case unsupportedScheme(String)
  /// The connection to this proxy (host and port) failed, or was lost before the proxy answered.
  /// Check the address of the proxy, and whether it runs; the server is not the cause.
  indirect case unreachable(proxy: String, TransportError)
  /// This proxy (host and port) refused: 407 requires a user and a password in its URL; 403 forbids
  /// this server; after 502 and 504, check whether the server can be reached.
  case refused(proxy: String, status: Int, reason: String)
  /// The answer is not that of an HTTP proxy. Check its address.
  case notAProxy
  /// The proxy closed the connection without an answer. Try again after a delay.
  case connectionClosed
}

extension ProxyError: CustomStringConvertible {
  /// The error as one line of English.
  public var description: String {
    switch self {
    case .invalidURL: "the URL of the proxy is invalid"
    case .unsupportedScheme(let scheme): "the proxy scheme \(scheme) is not supported"
    case .unreachable(let proxy, let error): "the proxy \(proxy) is not reachable: \(error)"
    case .refused(let proxy, let status, let reason):
      "the proxy \(proxy) refused with status \(status)" + (reason.isEmpty ? "" : " \(reason)")
    case .notAProxy: "the answer is not that of an HTTP proxy"
    case .connectionClosed: "the proxy closed the connection without an answer"
    }
  }
}
