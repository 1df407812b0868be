#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whom a `wss` connection trusts, and how it shows who it is itself.
///
/// ```swift
/// var configuration = WebSocketConfiguration()
/// configuration.tls.authorities = .only(try PEM(contentsOfFile: "/etc/app/ca.pem"))
/// configuration.tls.pins = [try PublicKeyPin("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")]
/// ```
///
/// Whatever is set here, a connection has TLS 1.2 or newer, the server's certificates lead to a trusted
/// authority, are valid now and for the host of the URL. None of that can be turned off: a server
/// with a certificate of its own is reached by trusting that certificate. What is trusted need not be
/// self-signed: an intermediate authority, or a server's certificate, stands for itself.
///
/// What a configuration comes to is made once and used by all connections with an equal one: files
/// that change later are not read again.
public struct TLSConfiguration: Hashable, Sendable {
  /// Whose certificates count.
  public enum Authorities: Hashable, Sendable {
    /// Those of the system: in `SSL_CERT_FILE` and `SSL_CERT_DIR` and nowhere else when one of them is
    /// set, otherwise where OpenSSL looks or the distribution keeps them.
    case system
    /// Those of the system, and these certificates.
    case systemAnd(PEM)
    /// These certificates and nobody else's.
    case only(PEM)
  }

  /// Whose certificates count: the system's authorities.
  public var authorities = Authorities.system

  /// What this side shows when it is asked who it is; nothing.
  public var identity: TLSIdentity?

  /// If there are any, at least one certificate of the verified chain must have one of these keys;
  /// none.
  ///
  /// Have a second one in reserve: when a server changes its key, clients with the old pin alone are
  /// locked out.
  public var pins: Set<PublicKeyPin> = []

  /// The system's authorities, no identity, no pins.
  public init() {}
}

/// A certificate with its private key: who a client or a server is.
public struct TLSIdentity: Hashable, Sendable {
  /// The certificate, and behind it those of the issuers as far as the other side needs them.
  public var certificateChain: PEM
  /// The key, which has no passphrase.
  public var privateKey: PEM

  /// An identity of these parts; whether they fit is seen when they are first used.
  public init(certificateChain: PEM, privateKey: PEM) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }
}

/// Certificates or a private key as text: `-----BEGIN CERTIFICATE-----` and so on (RFC 7468).
public struct PEM: Hashable, Sendable {
  let text: String

  /// This text; what is in it is seen when it is first used.
  public init(_ text: String) { self.text = text }

  /// The text of a file.
  ///
  /// - Throws: `TLSError.invalidConfiguration`, when the file cannot be read.
  public init(contentsOfFile path: String) throws(TLSError) {
    do {
      text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    } catch {
      throw .invalidConfiguration("\(path) cannot be read")
    }
  }
}

extension PEM: CustomStringConvertible {
  /// Not the text, which may be a private key and has no place in a log.
  public var description: String { "PEM of \(text.utf8.count) bytes" }
}

/// The SHA-256 of a public key (SubjectPublicKeyInfo in DER), as in RFC 7469 and curl's
/// `--pinnedpubkey`.
///
///     openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
///       | openssl dgst -sha256 -binary | base64
public struct PublicKeyPin: Hashable, Sendable {
  let digest: [UInt8]

  /// A pin in Base64, with or without `sha256/` or `sha256//` in front.
  ///
  /// - Throws: `TLSError.invalidConfiguration`, when these are not 32 bytes in Base64.
  public init(_ text: String) throws(TLSError) {
    let names = ["sha256//", "sha256/"]
    let base64 = text.dropFirst(names.first { text.hasPrefix($0) }?.count ?? 0)
    guard let data = Data(base64Encoded: String(base64)), data.count == 32 else {
      throw .invalidConfiguration("\(text) is not the SHA-256 of a key")
    }
    digest = Array(data)
  }

  init(digest: [UInt8]) { self.digest = digest }
}

extension PublicKeyPin: CustomStringConvertible {
  /// `sha256/` and Base64.
  public var description: String { "sha256/" + Data(digest).base64EncodedString() }
}
