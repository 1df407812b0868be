import TestSupport
import Testing

@testable import Sockets

@Suite("What OpenSSL says", .workerPool) struct OpenSSLErrorsTests {
  @Test(
    arguments: [
      (9, 0, .certificateNotYetValid), (10, 0, .certificateExpired), (10, 2, .certificateExpired),
      (18, 0, .selfSigned), (19, 1, .unknownAuthority(issuer: "/CN=I")),
      (20, 0, .incompleteChain(issuer: "/CN=I")), (21, 0, .incompleteChain(issuer: "/CN=I")),
      (2, 1, .unknownAuthority(issuer: "/CN=I")), (20, 1, .unknownAuthority(issuer: "/CN=I")),
      (62, 0, .wrongHost("h")), (64, 0, .wrongHost("h")), (23, 0, .untrusted(reason: "words")),
    ] as [(Int, Int, TLSError)]
  )
  func `of a certificate is an error with a remedy`(code: Int, depth: Int, error: TLSError) {
    let failure = VerificationFailure(code: code, depth: depth, issuer: "/CN=I", words: "words")
    #expect(failure.error(host: "h") == error)
  }

  private func error(
    _ reason: Int, isInHandshake: Bool = true, lacksCertificate: Bool = false
  ) -> TLSError {
    OpenSSLFailure(reason: reason, words: "words", isInHandshake: isInHandshake)
      .error(lacksCertificate: lacksCertificate)
  }

  @Test func `of what is no TLS counts in the handshake only`() {
    for reason in [155, 156, 267] {
      #expect(error(reason) == .notTLS)
      #expect(error(reason, isInHandshake: false) == .failed(reason: "words"))
    }
  }

  @Test func `of an old protocol is said by either side`() {
    #expect(error(258) == .protocolTooOld)
    #expect(error(1_070) == .protocolTooOld)
  }

  @Test func `of an alert has the RFC's name, or else its own words`() {
    #expect(error(1_048) == .refused(alert: 48, reason: "unknown_ca"))
    #expect(error(1_116) == .refused(alert: 116, reason: "certificate_required"))
    #expect(error(1_255) == .refused(alert: 255, reason: "words"))
    // Where alerts begin and end.
    #expect(error(1_000) == .failed(reason: "words"))
    #expect(error(1_256) == .failed(reason: "words"))
  }

  @Test func `of a certificate that was asked for and not there names that`() {
    for reason in [1_040, 1_042, 1_116] {
      #expect(error(reason, lacksCertificate: true) == .clientCertificateRequired)
    }
    #expect(error(1_048, lacksCertificate: true) == .refused(alert: 48, reason: "unknown_ca"))
  }
}
