#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The trusted authorities, the pins and the own identity of a `wss` connection.
///
/// ```swift
/// var configuration = WebSocketConfiguration()
/// configuration.tls.authorities = .only(try PEM(contentsOfFile: "/etc/app/ca.pem"))
/// configuration.tls.pins = [try PublicKeyPin("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")]
/// ```
///
/// Some checks cannot be turned off. A connection uses TLS 1.2 or newer. The server's certificate
/// leads to a trusted authority, is valid now, and is valid for the host of the URL. To reach a
/// server with a certificate of its own, trust that certificate. A trusted certificate need not be
/// self-signed: an intermediate authority, or a server's own certificate, is enough.
///
/// Equal configurations share one context, which is made once: later changes of the files are not
/// read.
public struct TLSConfiguration: Hashable, Sendable {
  /// The authorities whose certificates are trusted.
  public enum Authorities: Hashable, Sendable {
    /// The system's authorities.
    ///
    /// If `SSL_CERT_FILE` or `SSL_CERT_DIR` is set, only these are read. Otherwise they are read
    /// from where OpenSSL or the distribution keeps them.
    case system
    /// The system's authorities and these certificates.
    case systemAnd(PEM)
    /// These certificates only.
    case only(PEM)
  }

  /// The trusted authorities: the system's by default.
  public var authorities = Authorities.system

  /// The certificate and key that this side presents when asked; nil by default.
  public var identity: TLSIdentity?

  /// The pinned public keys: none by default.
  ///
  /// If there are any, at least one certificate of the verified chain must have one of these keys.
  /// Pin a second key in reserve: when a server changes its key, clients that pin only the old one
  /// cannot connect.
  public var pins: Set<PublicKeyPin> = []

  /// Trusts the system's authorities, without an identity and without pins.
  public init() {}
}

/// A certificate with its private key, which identifies a client or a server.
public struct TLSIdentity: Hashable, Sendable {
  /// The certificate, followed by the issuers' certificates that the other side needs.
  public var certificateChain: PEM
  /// The private key, without a passphrase.
  public var privateKey: PEM

  /// Makes an identity; whether key and certificate match is checked on first use.
  public init(certificateChain: PEM, privateKey: PEM) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }
}

/// Certificates or a private key as text: `-----BEGIN CERTIFICATE-----` and so on (RFC 7468).
public struct PEM: Hashable, Sendable {
  let text: String

  /// Makes a value of this text, which is checked on first use.
  public init(_ text: String) { self.text = text }

  /// Reads the text of a file.
  ///
  /// - Throws: `TLSError.invalidConfiguration` when the file cannot be read.
  public init(contentsOfFile path: String) throws(TLSError) {
    do {
      text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    } catch {
      throw .invalidConfiguration("\(path) cannot be read")
    }
  }
}

extension PEM: CustomStringConvertible {
  /// The length only: the text may be a private key, which must not get into a log.
  public var description: String { "PEM of \(text.utf8.count) bytes" }
}
