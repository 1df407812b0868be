/// Why there is no secure connection.
///
/// What concerns certificates is for the operator of the server or for the configuration of this
/// client to repair: the same attempt fails again. Verification cannot be turned off.
public enum TLSError: Error, Hashable, Sendable {
  // MARK: This machine

  /// There is no TLS on this machine. Install OpenSSL 3 (`libssl3`), or set another `tlsProvider`.
  case unavailable(reason: String)
  /// The system's certificate authorities were found in none of these places. Install
  /// `ca-certificates`, set `SSL_CERT_FILE`, or name the authorities in the configuration.
  case noAuthorities(searched: [String])
  /// Something in the configuration is not what it should be, such as a text without a certificate.
  case invalidConfiguration(String)

  // MARK: The peer's certificate

  /// The certificate, or one above it, has expired; or the clock of this machine is wrong.
  case certificateExpired
  /// The certificate, or one above it, is not valid yet; or the clock of this machine is wrong.
  case certificateNotYetValid
  /// The certificate is for other names than this one. Check the URL.
  case wrongHost(String)
  /// The certificate is its own authority, and not one that is trusted. Trust it by
  /// `authorities`, if it is yours.
  case selfSigned
  /// The chain of certificates leads to an authority that is not trusted. Trust it by `authorities`,
  /// if it is yours.
  case unknownAuthority(issuer: String)
  /// The peer sent its certificate without that of the issuer, which is not known here: an
  /// intermediate certificate is missing in the peer's chain, or `issuer` is an authority to be
  /// trusted by `authorities`.
  case incompleteChain(issuer: String)
  /// The certificate is not accepted for another reason, in OpenSSL's words.
  case untrusted(reason: String)
  /// No public key of the chain is pinned. The server has a new key, or is somebody else.
  case keyNotPinned(PublicKeyPin)

  // MARK: The handshake

  /// The peer speaks no TLS 1.2 and nothing newer.
  case protocolTooOld
  /// The server asked for a certificate, and there is none in the configuration. Set `identity`.
  case clientCertificateRequired
  /// A server requires a certificate of its clients, and this one has shown none.
  case noClientCertificate
  /// The peer's certificates are longer than they may be: 8 KiB together from a client, 100 KiB from a server.
  case certificatesTooLong
  /// The peer gave up with this alert (RFC 8446, section 6.2), mostly because of a certificate that it
  /// does not accept.
  case refused(alert: UInt8, reason: String)
  /// The server answered in HTTP without TLS. Write `ws` in the URL, or the port of the server's TLS.
  case plainHTTP
  /// The peer sent something else than TLS. Check host and port.
  case notTLS
  /// The peer left in the middle of the handshake. It may not speak TLS; or try again.
  case handshakeInterrupted

  // MARK: The connection

  /// The bytes ended without the peer's goodbye (`close_notify`): somebody may have cut them short.
  case truncated
  /// Anything else, in OpenSSL's words; bytes that were changed on their way are among it.
  case failed(reason: String)
}

extension TLSError: CustomStringConvertible {
  /// One English line.
  public var description: String {
    switch self {
    case .unavailable(let reason): "TLS is not available: \(reason)"
    case .noAuthorities(let places):
      "no certificate authorities on this machine: \(places.joined(separator: ", "))"
    case .invalidConfiguration(let problem): "the TLS configuration is wrong: \(problem)"
    case .certificateExpired: "the peer's certificate has expired"
    case .certificateNotYetValid: "the peer's certificate is not valid yet"
    case .wrongHost(let host): "the server's certificate is not for \(host)"
    case .selfSigned: "the peer's certificate is self-signed"
    case .unknownAuthority(let issuer): "the authority \(issuer) is not trusted"
    case .incompleteChain(let issuer):
      "the certificate of the issuer \(issuer) was not sent and is not known"
    case .untrusted(let reason): "the peer's certificate is not accepted: \(reason)"
    case .keyNotPinned(let pin): "the server's public key \(pin) is not pinned"
    case .protocolTooOld: "the peer speaks nothing newer than TLS 1.1"
    case .clientCertificateRequired: "the server requires a client certificate"
    case .noClientCertificate: "the client has shown no certificate"
    case .certificatesTooLong: "the peer has shown too many certificates"
    case .refused(let alert, let reason): "the peer refused with TLS alert \(alert), \(reason)"
    case .plainHTTP: "the server does not speak TLS: use ws"
    case .notTLS: "the peer does not speak TLS"
    case .handshakeInterrupted: "the connection ended during the TLS handshake"
    case .truncated: "the connection was cut without TLS's close_notify"
    case .failed(let reason): "TLS failed: \(reason)"
    }
  }
}
