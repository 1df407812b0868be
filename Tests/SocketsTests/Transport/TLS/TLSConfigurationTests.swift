import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct TLSConfigurationTests {
  @Test func `a pin is read in the formats of browsers, curl and OpenSSL`() throws {
    let base64 = Certificates.goodPin
    let pin = try PublicKeyPin(base64)
    #expect(try PublicKeyPin("sha256/" + base64) == pin)
    #expect(try PublicKeyPin("sha256//" + base64) == pin)
    #expect(pin.description == "sha256/" + base64)
  }

  @Test(arguments: ["", "sha256/", "AAAA", "not Base64", "sha512/AAAA"])
  func `malformed pins are refused`(text: String) {
    #expect(throws: TLSError.invalidConfiguration("\(text) is not the SHA-256 of a key")) {
      try PublicKeyPin(text)
    }
  }

  @Test func `a PEM file is read, or the error names the file`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(Certificates.authority.text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try PEM(contentsOfFile: file.path) == Certificates.authority)
    #expect(throws: TLSError.invalidConfiguration("/nowhere/ca.pem cannot be read")) {
      try PEM(contentsOfFile: "/nowhere/ca.pem")
    }
  }

  @Test func `a private key is not logged`() {
    var configuration = WebSocketConfiguration()
    configuration.tls.identity = Certificates.good
    #expect("\(configuration)".contains("PEM of"))
    #expect(!"\(configuration)".contains("PRIVATE"))
  }
}

@Suite(.workerPool) struct SystemAuthoritiesTests {
  private func find(_ environment: [String: String], in there: Set<String>) -> SystemAuthorities {
    .find(file: "/a/cert.pem", directory: "/a/certs", environment: environment) {
      there.contains($0)
    }
  }

  @Test func `OpenSSL's own certificate paths come first`() {
    #expect(find([:], in: ["/a/cert.pem", "/etc/ssl/certs"]) == .known)
    #expect(find([:], in: ["/a/certs"]) == .known)
  }

  @Test func `without certificates there, the paths of other distributions are used`() {
    let debian = ["/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs"]
    #expect(find([:], in: Set(debian)) == .found(file: debian[0], directory: debian[1]))
    #expect(
      find([:], in: ["/etc/pki/tls/certs/ca-bundle.crt"])
        == .found(file: "/etc/pki/tls/certs/ca-bundle.crt", directory: nil)
    )
  }

  @Test func `certificate paths of the environment are used exclusively`() {
    let file = ["SSL_CERT_FILE": "/b/ca.pem"]
    // Not OpenSSL's own directory: a named file is trusted exclusively.
    #expect(find(file, in: ["/b/ca.pem", "/a/certs"]) == .found(file: "/b/ca.pem", directory: nil))
    #expect(
      find(file, in: ["/a/cert.pem", "/a/certs", "/etc/ssl/cert.pem"])
        == .missing(searched: ["/b/ca.pem"])
    )
    let directories = ["SSL_CERT_DIR": "/c:/d:/e"]
    #expect(
      find(directories, in: ["/d", "/e", "/a/cert.pem"]) == .found(file: nil, directory: "/d:/e")
    )
    #expect(
      find(directories, in: ["/a/cert.pem", "/etc/ssl/certs"])
        == .missing(searched: ["/c", "/d", "/e"])
    )
    let both = file.merging(directories) { $1 }
    #expect(find(both, in: ["/b/ca.pem", "/c"]) == .found(file: "/b/ca.pem", directory: "/c"))
    #expect(find(both, in: ["/c"]) == .found(file: nil, directory: "/c"))
  }

  @Test func `a machine without certificates reports the searched paths`() {
    guard case .missing(let searched) = find([:], in: []) else {
      Issue.record("found")
      return
    }
    #expect(searched.starts(with: ["/a/cert.pem", "/a/certs"]))
    #expect(searched.contains("/etc/pki/tls/certs/ca-bundle.crt"))
  }
}

@Suite(.workerPool) struct TLSErrorTests {
  @Test func `each TLS error has a description of one line`() throws {
    let errors: [TLSError] = [
      .unavailable(reason: "no libssl.so.3"), .noAuthorities(searched: ["/a", "/b"]),
      .invalidConfiguration("no key"), .certificateExpired, .certificateNotYetValid,
      .wrongHost("a.example"), .selfSigned, .unknownAuthority(issuer: "/CN=A"),
      .incompleteChain(issuer: "/CN=A"), .untrusted(reason: "CA too weak"),
      .keyNotPinned(try PublicKeyPin(Certificates.goodPin)), .protocolTooOld,
      .clientCertificateRequired, .refused(alert: 48, reason: "unknown_ca"), .notTLS,
      .handshakeInterrupted, .truncated, .failed(reason: "bad record mac"),
    ]
    let lines = Set(errors.map(\.description))
    #expect(lines.count == errors.count)
    #expect(lines.allSatisfy { !$0.contains("\n") && $0.count > 10 && $0.count < 120 })
    #expect(
      TransportError.tls(.wrongHost("a.example")).description
        == "the server's certificate is not valid for a.example"
    )
  }
}
