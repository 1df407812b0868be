#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The SHA-256 of a public key (SubjectPublicKeyInfo in DER), as in RFC 7469 and curl's
/// `--pinnedpubkey`.
///
///     openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
///       | openssl dgst -sha256 -binary | base64
public struct PublicKeyPin: Hashable, Sendable {
  let digest: [UInt8]

  /// A pin in Base64, with or without `sha256/` or `sha256//` in front.
  ///
  /// - Throws: `TLSError.invalidConfiguration` unless the text is 32 bytes in Base64.
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
  /// The pin as `sha256/` and Base64.
  public var description: String { "sha256/" + Data(digest).base64EncodedString() }
}

extension PublicKeyPin: Codable {
  /// Decodes a pin from its description.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { try self.init(container.decode(String.self)) } catch let error as TLSError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  /// Encodes the description.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
