#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An HTTP proxy.
struct Proxy: Hashable, Sendable {
  var host: String
  var port: UInt16
  /// The value of `Proxy-Authorization`; nil without a user.
  var authorization: String?

  /// Host and port without user and password, for errors.
  var name: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Parses a URL like `http://user:password@host:3128`.
  ///
  /// The scheme is optional; the default port is 80.
  init(_ text: String) throws(ProxyError) {
    let url = text.contains("://") ? text : "http://" + text
    guard let parts = URLComponents(string: url), let scheme = parts.scheme else {
      throw .invalidURL
    }
    guard scheme.equalsIgnoringCase("http") else { throw .unsupportedScheme(scheme) }
    guard let host = Self.host(parts), let port = UInt16(exactly: parts.port ?? 80), port > 0 else {
      throw .invalidURL
    }
    (self.host, self.port) = (host, port)
    // RFC 7617: Base64 of user, colon and password.
    if let user = parts.user {
      let credentials = Data("\(user):\(parts.password ?? "")".utf8)
      authorization = "Basic " + credentials.base64EncodedString()
    }
  }

  /// A name in ASCII, or an address without brackets; nil for anything else.
  private static func host(_ parts: URLComponents) -> String? {
    guard let host = parts.encodedHost, !host.isEmpty else { return nil }
    return host.hasPrefix("[")
      ? parts.host.map { String($0.drop { $0 == "[" }.prefix { $0 != "]" }) }
      : HostName.ascii(ofEncoded: host)
  }
}

extension Proxy {
  /// The proxy for a URL according to the environment, by the rules of curl; nil for none.
  ///
  /// `https_proxy` is for `wss`, `http_proxy` for `ws`, and `all_proxy` for both. Each may also be
  /// upper case; lower case takes precedence. `no_proxy` lists hosts without a proxy. This machine
  /// itself is never reached through one.
  static func inEnvironment(
    for url: WebSocketURL,
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ProxyError) -> Proxy? {
    func value(_ name: String) -> String? {
      // In a CGI program HTTP_PROXY holds the `Proxy` header of the client, who must not choose it.
      let isHeader = name == "http_proxy" && environment["REQUEST_METHOD"] != nil
      let capitals = isHeader ? nil : environment[name.uppercased()]
      return [environment[name], capitals].compactMap(\.self).first { !$0.isEmpty }
    }
    let found = value(url.isSecure ? "https_proxy" : "http_proxy") ?? value("all_proxy")
    guard let found, !NoProxy(value("no_proxy") ?? "").covers(url.host, url.port) else {
      return nil
    }
    return try Proxy(found)
  }
}
