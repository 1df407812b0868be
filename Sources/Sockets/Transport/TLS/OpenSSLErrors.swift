extension TLSError {
  /// The error for OpenSSL's verdict on a certificate that it does not accept (`X509_V_ERR_...`).
  ///
  /// - Parameters:
  ///   - depth: position in the chain: 0 is the peer's own certificate, 1 its issuer's
  ///   - words: OpenSSL's text for the verdict
  static func unverified(
    _ verdict: Int, depth: Int, issuer: String, host: String, words: String
  ) -> TLSError {
    switch verdict {
    case 9: .certificateNotYetValid
    case 10: .certificateExpired
    case 18: .selfSigned
    case 19: .unknownAuthority(issuer: issuer)
    // The received chain ends at its first certificate, or further up.
    case 2, 20, 21:
      depth == 0 ? .incompleteChain(issuer: issuer) : .unknownAuthority(issuer: issuer)
    case 62, 64: .wrongHost(host)
    default: .untrusted(reason: words)
    }
  }

  /// The error for OpenSSL's reason for a failed handshake or connection (`SSL_R_...`).
  ///
  /// - Parameters:
  ///   - words: OpenSSL's text for the reason
  ///   - lacksCertificate: whether the peer requested a certificate and there was none
  static func failure(
    _ reason: Int, words: String, isInHandshake: Bool, lacksCertificate: Bool
  ) -> TLSError {
    switch reason {
    // A peer that requires a newer version sends an alert; an older peer answers in its version.
    case 258, 1_070: return .protocolTooOld
    case 199: return .noClientCertificate
    case 152: return .certificatesTooLong
    // HTTP or other bytes in the place of a record's version.
    case let code where isInHandshake && [155, 156, 267].contains(code): return .notTLS
    case 1_001..<1_256:
      let alert = UInt8(reason - 1_000)
      // RFC 8446, 4.4.2.4: certificate_required; before TLS 1.3 it was handshake_failure.
      if lacksCertificate, [40, 42, 116].contains(alert) { return .clientCertificateRequired }
      return .refused(alert: alert, reason: name(of: alert) ?? words)
    default: return .failed(reason: words)
    }
  }

  /// The names of the alerts about certificates and versions (RFC 8446, section 6).
  private static func name(of alert: UInt8) -> String? {
    switch alert {
    case 10: "unexpected_message"
    case 20: "bad_record_mac"
    case 40: "handshake_failure"
    case 42: "bad_certificate"
    case 43: "unsupported_certificate"
    case 44: "certificate_revoked"
    case 45: "certificate_expired"
    case 46: "certificate_unknown"
    case 48: "unknown_ca"
    case 49: "access_denied"
    case 51: "decrypt_error"
    case 71: "insufficient_security"
    case 80: "internal_error"
    case 90: "user_canceled"
    case 112: "unrecognized_name"
    case 116: "certificate_required"
    case 120: "no_application_protocol"
    default: nil
    }
  }
}
