/// How a server of `wss` shows who it is, and whether its clients have to.
///
/// ```swift
/// var tls = TLSServerConfiguration(identity: identity)
/// tls.identities["chat.example.com"] = chat
/// tls.identities["*.example.org"] = organization
/// tls.clientCertificates = .required(authorities: try PEM(contentsOfFile: "/etc/app/clients.pem"))
/// let server = try WebSocketServer(port: 443, tls: tls)
/// ```
///
/// Connections have TLS 1.2 or newer. With several identities, or with certificates of clients, each connection makes the
/// whole handshake: no session is resumed.
public struct TLSServerConfiguration: Hashable, Sendable {
  /// Whether clients are asked for a certificate (RFC 8446, section 4.3.2).
  public enum ClientCertificates: Hashable, Sendable {
    /// They are not.
    case notRequested
    /// They are, and may have none; one that does not lead to these authorities ends the handshake.
    case requested(authorities: PEM)
    /// They are, and the handshake ends without one that leads to these authorities.
    case required(authorities: PEM)

    var authorities: PEM? {
      switch self {
      case .notRequested: nil
      case .requested(let authorities), .required(let authorities): authorities
      }
    }
  }

  /// What is shown to clients that ask for no name, or for one that is not in `identities`.
  ///
  /// Without it the handshake with these ends with the alert `unrecognized_name`.
  public var identity: TLSIdentity?

  /// What is shown to clients that ask for these names (server name indication: RFC 6066, section 3): names such as
  /// `example.com`, in ASCII, or `*.example.com` for all that have one label before it.
  ///
  /// A name that is there as a whole goes before one with a star.
  public var identities: [String: TLSIdentity] = [:]

  /// Whether clients are asked for a certificate: they are not.
  ///
  /// What a client has shown is ``WebSocketRequest/clientCertificate`` and ``HTTPRequest/clientCertificate``. Revocation
  /// is not checked.
  public var clientCertificates = ClientCertificates.notRequested

  /// A server with this identity for all names.
  public init(identity: TLSIdentity? = nil) { self.identity = identity }
}

/// The identities of a server by the names of hosts.
struct ServerNames<Identity> {
  private var byName: [String: Identity] = [:]

  /// - Throws: `invalidConfiguration` for a key that is not the name of a host, and for two keys that are one name.
  init(_ identities: [String: Identity]) throws(TLSError) {
    for (name, identity) in identities {
      let host = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
      // RFC 6066, section 3: addresses are not permitted.
      guard host.isRegisteredName, NetworkAddress(host) == nil else {
        throw .invalidConfiguration(
          "\(name.debugDescription) is not a name like example.com or *.example.com, in ASCII")
      }
      guard byName.updateValue(identity, forKey: Self.key(name)) == nil else {
        throw .invalidConfiguration("the server name \(name) is there twice: remove one of the two")
      }
    }
  }

  /// The form in which names are compared: lower case in ASCII, other characters unchanged, and without the dot
  /// of an absolute name.
  private static func key(_ name: String) -> String {
    var bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The identity for the name that a client asks for; nil for none, or one that is not known.
  subscript(_ name: String) -> Identity? {
    let name = Self.key(name)
    if let identity = byName[name] { return name.hasPrefix("*") ? nil : identity }
    // By bytes: a dot and a mark behind it are one character.
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return nil
    }
    return byName["*" + name[dot...]]
  }
}
