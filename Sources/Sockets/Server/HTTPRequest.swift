#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A plain HTTP/1.1 request: a health check, a scrape of metrics, a page.
public struct HTTPRequest: Sendable {
  /// The method, such as `GET`; case matters (RFC 9110, section 9.1).
  public let method: String
  /// The path with its percent encoding; begins with a slash, or is `*`.
  public let path: String
  /// The text after the question mark, as sent; nil without a question mark.
  public let query: String?
  /// All headers of the request.
  public let headers: HTTPHeaders
  /// The whole body, at most ``WebSocketAdmission/bodyLimit`` bytes; empty without a body.
  public let body: Data

  /// The verified certificate of the client; nil without one.
  ///
  /// See ``TLSServerConfiguration/clientCertificates``.
  public let clientCertificate: TLSClientCertificate?

  /// The server, for its totals and broadcasts; nil after its release, and in tests.
  public internal(set) var server: WebSocketServer?

  private let remoteClient: RemoteClient?

  /// Makes a request for a test of `onRequest`.
  ///
  /// - Parameters:
  ///   - method: `GET` by default
  ///   - path: path with its percent encoding
  ///   - query: text after the question mark; nil by default
  ///   - headers: none by default
  ///   - body: empty by default
  ///   - peerAddress: address of the connection
  ///   - clientAddress: address of the client, if it differs
  ///   - clientCertificate: certificate of the client
  public init(
    method: String = "GET",
    path: String,
    query: String? = nil,
    headers: HTTPHeaders = [:],
    body: Data = Data(),
    peerAddress: NetworkAddress? = nil,
    clientAddress: NetworkAddress? = nil,
    clientCertificate: TLSClientCertificate? = nil
  ) {
    (self.method, self.path, self.query, self.headers) = (method, path, query, headers)
    (self.body, self.clientCertificate) = (body, clientCertificate)
    remoteClient = RemoteClient(
      number: 1, peerAddress: peerAddress, address: clientAddress ?? peerAddress)
  }

  init(
    _ head: HTTPRequestHead, body: Data, _ remoteClient: RemoteClient?,
    certificate: TLSClientCertificate? = nil
  ) {
    (method, path, query, headers) = (head.method, head.path, head.query, head.headers)
    (self.body, self.remoteClient, clientCertificate) = (body, remoteClient, certificate)
  }

  /// The number of the connection, as in the log: 1 for a server's first.
  public var connectionNumber: Int { remoteClient?.number ?? 0 }

  /// The address of the connection: the client's, or that of the last proxy before the server.
  ///
  /// Nil where there is no network, as in tests.
  public var peerAddress: NetworkAddress? { remoteClient?.peerAddress }

  /// The client's address as ``WebSocketAdmission/proxies`` report it; otherwise `peerAddress`.
  public var clientAddress: NetworkAddress? { remoteClient?.address }
}
