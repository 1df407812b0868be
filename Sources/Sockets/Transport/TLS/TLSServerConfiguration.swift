/// The identities of a `wss` server, and whether it asks clients for certificates.
///
/// ```swift
/// var tls = TLSServerConfiguration(identity: identity)
/// tls.identities["chat.example.com"] = chat
/// tls.identities["*.example.org"] = organization
/// tls.clientCertificates = .required(authorities: try PEM(contentsOfFile: "/etc/app/clients.pem"))
/// let server = try WebSocketServer(port: 443, tls: tls)
/// ```
///
/// Connections use TLS 1.2 or newer. With identities by name, or with certificates of clients, each
/// connection makes the whole handshake: no session is resumed.
public struct TLSServerConfiguration: Hashable, Sendable {
  /// Whether clients are asked for a certificate (RFC 8446, section 4.3.2).
  public enum ClientCertificates: Hashable, Sendable {
    /// Clients are not asked for a certificate.
    case notRequested
    /// Clients may send a certificate; one that these authorities did not sign ends the handshake.
    case requested(authorities: PEM)
    /// Clients must send a certificate of these authorities; otherwise the handshake ends.
    case required(authorities: PEM)

    var authorities: PEM? {
      switch self {
      case .notRequested: nil
      case .requested(let authorities), .required(let authorities): authorities
      }
    }
  }

  /// The identity for clients that request no name, or one that is not in `identities`.
  ///
  /// If nil, the handshake of such a client ends with the alert `unrecognized_name`.
  public var identity: TLSIdentity?

  /// The identities for clients that request these names (server name indication: RFC 6066, 3).
  ///
  /// A key is a name such as `example.com`, in ASCII, or `*.example.com` for all names with one
  /// more label in front. A full name takes precedence over one with a star.
  public var identities: [String: TLSIdentity] = [:]

  /// Whether clients are asked for a certificate: they are not by default.
  ///
  /// The program reads it as ``WebSocketRequest/clientCertificate`` and
  /// ``HTTPRequest/clientCertificate``. Revocation is not checked.
  public var clientCertificates = ClientCertificates.notRequested

  /// Makes a configuration with one identity for all names; nil by default.
  public init(identity: TLSIdentity? = nil) { self.identity = identity }
}

/// A server's identities by host name.
package struct ServerNames<Identity> {
  private var byName: [String: Identity] = [:]

  /// - Throws: `invalidConfiguration` for a key that is no host name, and for two equal names.
  package init(_ identities: [String: Identity]) throws(TLSError) {
    for (name, identity) in identities {
      let host = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
      // RFC 6066, section 3: addresses are not permitted.
      guard host.isDNSName, NetworkAddress(host) == nil else {
        throw .invalidConfiguration(
          "\(name.debugDescription) is not a name like example.com or *.example.com, in ASCII")
      }
      guard byName.updateValue(identity, forKey: Self.key(name)) == nil else {
        throw .invalidConfiguration("the server name \(name) is there twice: remove one of the two")
      }
    }
  }

  /// The form for comparison: ASCII letters in lower case, without the dot of an absolute name.
  private static func key(_ name: String) -> String {
    var bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The identity for the name that a client requests; nil for an unknown name.
  package subscript(_ name: String) -> Identity? {
    let name = Self.key(name)
    if let identity = byName[name] { return name.hasPrefix("*") ? nil : identity }
    // By bytes: a dot and a combining mark after it are one character.
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return nil
    }
    return byName["*" + name[dot...]]
  }
}

extension ServerNames: Sendable where Identity: Sendable {}
