/// The reason why a TLS connection could not be made, or was lost.
///
/// Errors about certificates must be repaired by the operator of the server or in the configuration
/// of this client: the same attempt fails again. Verification cannot be turned off.
public enum TLSError: Error, Hashable, Codable, Sendable {
  // MARK: This machine

  /// No TLS library was found. Install OpenSSL 3 (`libssl3`), or set another `tlsProvider`.
  case unavailable(reason: String)
  /// The system's certificate authorities were not found in these places. Install
  /// `ca-certificates`, set `SSL_CERT_FILE`, or set the authorities in the configuration.
  case noAuthorities(searched: [String])
  /// A part of the configuration is invalid, such as a PEM text without a certificate. Correct it.
  case invalidConfiguration(String)

  // MARK: The peer's certificate

  /// The certificate, or one of its issuers', has expired, or the clock of this machine is wrong.
  case certificateExpired
  /// The certificate, or one of its issuers', is not valid yet, or this machine's clock is wrong.
  case certificateNotYetValid
  /// The certificate is not valid for this name. Check the URL.
  case wrongHost(String)
  /// The certificate is self-signed and not trusted. If it is yours, add it to `authorities`.
  case selfSigned
  /// The certificate chain ends at an authority that is not trusted. If the authority is yours, add
  /// it to `authorities`.
  case unknownAuthority(issuer: String)
  /// The peer did not send the certificate of `issuer`, and this machine does not have it. Add the
  /// intermediate certificate to the peer's chain, or add the issuer to `authorities`.
  case incompleteChain(issuer: String)
  /// The certificate was rejected for another reason, in OpenSSL's words. See the reason.
  case untrusted(reason: String)
  /// No public key of the chain is pinned. The server has a new key, or is another server.
  case keyNotPinned(PublicKeyPin)

  // MARK: The handshake

  /// The peer supports neither TLS 1.2 nor a newer version. Update the peer.
  case protocolTooOld
  /// The server requires a certificate, and the configuration has none. Set `identity`.
  case clientCertificateRequired
  /// The server requires a certificate, and the client presented none.
  case noClientCertificate
  /// The peer's certificates exceed the limit: 8 KiB in all from a client, 100 KiB from a server.
  case certificatesTooLong
  /// The peer ended the handshake with this alert (RFC 8446, section 6.2), in most cases because it
  /// rejects the certificate.
  case refused(alert: UInt8, reason: String)
  /// The server answered in plain HTTP. Use `ws` in the URL, or the port on which it serves TLS.
  case plainHTTP
  /// The peer sent bytes that are not TLS. Check host and port.
  case notTLS
  /// The peer closed the connection during the handshake. It may not support TLS; or try again.
  case handshakeInterrupted

  // MARK: The connection

  /// The bytes ended without `close_notify`: an attacker may have cut them short. Reconnect.
  case truncated
  /// Any other failure, in OpenSSL's words, including bytes that were changed on their way.
  case failed(reason: String)
}

extension TLSError: CustomStringConvertible {
  /// The error as one line of English.
  public var description: String {
    switch self {
    case .unavailable(let reason): "TLS is not available: \(reason)"
    case .noAuthorities(let places):
      "no certificate authorities on this machine: \(places.joined(separator: ", "))"
    case .invalidConfiguration(let problem): "invalid TLS configuration: \(problem)"
    case .certificateExpired: "the peer's certificate has expired"
    case .certificateNotYetValid: "the peer's certificate is not valid yet"
    case .wrongHost(let host): "the server's certificate is not valid for \(host)"
    case .selfSigned: "the peer's certificate is self-signed"
    case .unknownAuthority(let issuer): "the authority \(issuer) is not trusted"
    case .incompleteChain(let issuer):
      "the certificate of the issuer \(issuer) was not sent and is not known"
    case .untrusted(let reason): "the peer's certificate is not accepted: \(reason)"
    case .keyNotPinned(let pin): "the server's public key \(pin) is not pinned"
    case .protocolTooOld: "the peer supports neither TLS 1.2 nor a newer version"
    case .clientCertificateRequired: "the server requires a client certificate"
    case .noClientCertificate: "the client presented no certificate"
    case .certificatesTooLong: "the peer's certificates exceed the size limit"
    case .refused(let alert, let reason): "the peer refused with TLS alert \(alert), \(reason)"
    case .plainHTTP: "the server does not speak TLS: use ws"
    case .notTLS: "the peer does not speak TLS"
    case .handshakeInterrupted: "the connection ended during the TLS handshake"
    case .truncated: "the connection ended without close_notify"
    case .failed(let reason): "TLS failed: \(reason)"
    }
  }
}
