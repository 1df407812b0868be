#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An HTTP proxy.
struct Proxy: Hashable, Sendable {
  var host: String
  var port: UInt16
  /// The value of `Proxy-Authorization`.
  var authorization: String?

  /// Host and port, without user and password, as errors name it.
  var name: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// A proxy of a URL like `http://user:password@host:3128`; the scheme may be missing, the port is 80
  /// then as well as with it.
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

  /// A name in ASCII, or an address without brackets; nil for neither.
  private static func host(_ parts: URLComponents) -> String? {
    guard let host = parts.encodedHost, !host.isEmpty else { return nil }
    return host.hasPrefix("[")
      ? parts.host.map { String($0.drop { $0 == "[" }.prefix { $0 != "]" }) }
      : HostName.ascii(ofEncoded: host)
  }
}

extension Proxy {
  /// The proxy that the environment has for a URL, by the rules that curl and most others follow; nil
  /// for none.
  ///
  /// `https_proxy` is for `wss`, `http_proxy` for `ws`, `all_proxy` for both, each also in capitals, the
  /// small letters first. `no_proxy` lists where none is used. Neither is one for this machine itself.
  static func inEnvironment(
    for url: WebSocketURL,
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ProxyError) -> Proxy? {
    func value(_ name: String) -> String? {
      // In a CGI program this is the `Proxy` header of whoever calls it.
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
