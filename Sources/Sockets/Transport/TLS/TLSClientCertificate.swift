/// A verified certificate that identifies the client of a server.
///
/// ```swift
/// admission.decide = { request in
///   guard let certificate = request.clientCertificate else { return .refuse(status: 401) }
///   return certificate.dnsNames.contains("agent.example.com") ? .accept() : .refuse(status: 403)
/// }
/// ```
///
/// An authority of ``TLSServerConfiguration/clientCertificates`` has signed all of it. Revocation
/// is not checked: refuse a revoked certificate by its `fingerprint`.
public struct TLSClientCertificate: Hashable, Sendable {
  /// The subject in the form of RFC 4514: `CN=alice,O=Example`; empty for a subject without parts.
  public let subject: String
  /// The common name of the subject; the most specific one of several, nil without one.
  public let commonName: String?
  /// The DNS names of the certificate, in its order (RFC 5280, section 4.2.1.6).
  ///
  /// A name with characters other than visible ASCII is left out of all three lists.
  public let dnsNames: [String]
  /// The email addresses of the certificate.
  public let emailAddresses: [String]
  /// The URIs of the certificate.
  public let uris: [String]
  /// The SHA-256 of the certificate in DER: 64 hexadecimal digits in lower case.
  public let fingerprint: String

  /// Makes the certificate that a ``TLSSession`` has verified.
  public init(
    subject: String,
    commonName: String? = nil,
    dnsNames: [String] = [],
    emailAddresses: [String] = [],
    uris: [String] = [],
    fingerprint: String
  ) {
    (self.subject, self.commonName, self.fingerprint) = (subject, commonName, fingerprint)
    (self.dnsNames, self.emailAddresses, self.uris) = (dnsNames, emailAddresses, uris)
  }
}

extension Sequence<UInt8> {
  /// Two hexadecimal digits for each byte, in lower case.
  package var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

#if canImport(CReactiveSystem)
import CReactiveSystem

extension TLSClientCertificate {
  /// Makes a certificate of the parts that OpenSSL has read.
  init(_ certificate: csystem_certificate) {
    var certificate = certificate
    var names: [Int32: [String]] = [:]
    for index in 0..<csystem_certificate_name_count(&certificate) {
      var (kind, count) = (Int32(0), 0)
      let start = csystem_certificate_name(&certificate, index, &kind, &count)
      let name = UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
      // RFC 5280, section 4.2.1.6: ASCII. A zero byte could make one name look like another.
      guard !name.isEmpty, name.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
      names[kind, default: []].append(String(decoding: name, as: UTF8.self))
    }
    func text(_ start: UnsafeRawPointer?, _ count: Int) -> String? {
      start.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: count), as: UTF8.self) }
    }
    self.init(
      subject: text(certificate.subject, certificate.subject_count) ?? "",
      commonName: text(certificate.common_name, certificate.common_name_count),
      dnsNames: names[csystem_name_dns] ?? [],
      emailAddresses: names[csystem_name_email] ?? [],
      uris: names[csystem_name_uri] ?? [],
      fingerprint: withUnsafeBytes(of: certificate.sha256) { $0.hexadecimal }
    )
  }
}
#endif
