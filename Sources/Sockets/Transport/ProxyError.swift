/// Why a proxy did not lead to the server.
public enum ProxyError: Error, Hashable, Sendable {
  /// What the configuration or the environment has is not the URL of a proxy: write
  /// `http://host:port`.
  case invalidURL
  /// The proxy is of another kind, such as `socks5` or `https`. Only HTTP proxies are known.
  case unsupportedScheme(String)
  /// There is no connection to the proxy, whose host and port these are, or it was lost before the proxy
  /// answered. Check the proxy's address and whether it runs; the server's is not the reason.
  indirect case unreachable(proxy: String, TransportError)
  /// The proxy, whose host and port these are, said no: 407 wants a user and a password in its URL, 403 does
  /// not want this server to be reached, 502 and 504 could not reach it.
  case refused(proxy: String, status: Int, reason: String)
  /// The answer is not that of an HTTP proxy. Check its address.
  case notAProxy
  /// The proxy left without an answer. Try again after a delay.
  case connectionClosed
}

extension ProxyError: CustomStringConvertible {
  /// One English line.
  public var description: String {
    switch self {
    case .invalidURL: "the URL of the proxy is not one"
    case .unsupportedScheme(let scheme): "proxies of kind \(scheme) are not supported"
    case .unreachable(let proxy, let error): "the proxy \(proxy) cannot be used: \(error)"
    case .refused(let proxy, let status, let reason):
      "the proxy \(proxy) refused with status \(status)" + (reason.isEmpty ? "" : " \(reason)")
    case .notAProxy: "the proxy did not answer as one"
    case .connectionClosed: "the proxy ended the connection without an answer"
    }
  }
}
