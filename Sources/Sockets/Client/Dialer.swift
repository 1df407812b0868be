#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Creates the transport to a URL's server, with proxy and TLS, and the handshake to perform there.
struct Dialer: Sendable {
  let url: WebSocketURL
  private var configuration: WebSocketConfiguration
  /// The number of redirects so far.
  private var redirects = 0

  init(_ text: String, _ configuration: WebSocketConfiguration) throws(WebSocketError) {
    do throws(WebSocketURLError) {
      url = try WebSocketURL(text)
    } catch {
      throw .invalidURL(text.withoutSecrets, error)
    }
    self.configuration = configuration
  }

  /// Creates a transport that is not connected yet, and the handshake to perform on it.
  func dial() throws(WebSocketError) -> (any Transport, OpeningHandshake) {
    let opening = OpeningHandshake.client(try handshake(), self)
    do throws(TransportError) {
      return (try transport(), opening)
    } catch {
      throw .transport(error)
    }
  }

  /// Creates the handshake to perform with the server.
  func handshake() throws(WebSocketError) -> ClientHandshake {
    do throws(HandshakeError) {
      return try ClientHandshake(
        url,
        subprotocols: configuration.subprotocols,
        compression: configuration.compression,
        headers: configuration.headers,
        random: systemRandomBytes
      )
    } catch {
      throw .handshake(error)
    }
  }

  // MARK: Layers

  private func transport() throws(TransportError) -> any Transport {
    guard SocketHost.current == nil else {
      // A simulated host knows no proxies.
      return try ClientTransport.make(
        to: url.host, port: url.port, tls: url.isSecure ? configuration.tls : nil,
        by: configuration.tlsProvider)
    }
    let bytes = tunnel(through: try proxy())
    guard url.isSecure else { return bytes }
    return try ClientTransport.secure(
      bytes, to: url.host, configuration.tls, by: configuration.tlsProvider)
  }

  private func tunnel(through proxy: Proxy?) -> any Transport {
    let tcp = TCPTransport(
      host: proxy?.host ?? url.host,
      port: proxy?.port ?? url.port,
      scheduler: configuration.scheduler
    )
    guard let proxy else { return tcp }
    return ProxyTunnel(over: tcp, through: proxy, to: url.host, port: url.port)
  }

  private func proxy() throws(TransportError) -> Proxy? {
    do throws(ProxyError) {
      return switch configuration.proxy {
      case .environment: try .inEnvironment(for: url)
      case .direct: nil
      case .http(let url): try Proxy(url)
      }
    } catch {
      throw .proxy(error)
    }
  }
}

// MARK: - Redirects

extension Dialer {
  /// RFC 9110, section 15.4: the statuses that name another address for the same request.
  private static let redirections: Set = [301, 302, 303, 307, 308]

  /// Whether a refusal is a redirect that this side follows.
  func follows(_ refusal: HandshakeError) -> Bool {
    guard configuration.redirectLimit > 0, case .rejected(let status, _, _, _) = refusal else {
      return false
    }
    return Self.redirections.contains(status)
  }

  /// The dialer for a redirect's target; nil when the refusal is no redirect or is not followed.
  func redirected(by refusal: HandshakeError) throws(WebSocketError) -> Dialer? {
    guard follows(refusal), case .rejected(_, _, let headers, _) = refusal else { return nil }
    let location = headers["Location"] ?? ""
    guard let url = Self.resolve(location, against: self.url) else {
      throw .redirect(.invalidLocation(location.withoutSecrets))
    }
    if self.url.isSecure && !url.isSecure {
      throw .redirect(.insecure(location.withoutSecrets))
    }
    guard redirects < configuration.redirectLimit else {
      throw .redirect(.tooMany(limit: configuration.redirectLimit))
    }
    return Dialer(from: self, to: url)
  }

  /// The headers that any server may receive.
  private static let harmlessHeaders = ["User-Agent", "Accept-Language", "Origin"]

  private init(from last: Dialer, to url: WebSocketURL) {
    self.url = url
    redirects = last.redirects + 1
    configuration = last.configuration
    if !url.hasSameOrigin(as: last.url) {
      // All other headers may be secrets of the first server, whatever their names are.
      let harmless = last.configuration.headers.fields.filter { field in
        Self.harmlessHeaders.contains { $0.equalsIgnoringCase(field.name) }
      }
      configuration.headers = HTTPHeaders(harmless)
      configuration.tls.identity = nil
    }
  }

  /// The URL of a `Location`, which may be relative (RFC 9110, section 10.2.2).
  private static func resolve(_ location: String, against base: WebSocketURL) -> WebSocketURL? {
    guard !location.isEmpty, let baseURL = URL(string: base.description),
      let url = URL(string: location, relativeTo: baseURL),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return nil }
    parts.fragment = nil
    switch parts.scheme?.lowercased() {
    case "http": parts.scheme = "ws"
    case "https": parts.scheme = "wss"
    default: break
    }
    return parts.string.flatMap { try? WebSocketURL($0) }
  }
}

extension WebSocketURL {
  /// RFC 6454: the same scheme, host and port.
  fileprivate func hasSameOrigin(as other: WebSocketURL) -> Bool {
    isSecure == other.isSecure && port == other.port && host.equalsIgnoringCase(other.host)
  }
}
