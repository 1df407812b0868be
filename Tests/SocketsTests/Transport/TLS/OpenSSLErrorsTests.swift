import TestSupport
import Testing

@testable import Sockets

@Suite("The errors of OpenSSL", .workerPool) struct OpenSSLErrorsTests {
  @Test(
    arguments: [
      (9, 0, .certificateNotYetValid), (10, 0, .certificateExpired), (10, 2, .certificateExpired),
      (18, 0, .selfSigned), (19, 1, .unknownAuthority(issuer: "/CN=I")),
      (20, 0, .incompleteChain(issuer: "/CN=I")), (21, 0, .incompleteChain(issuer: "/CN=I")),
      (2, 1, .unknownAuthority(issuer: "/CN=I")), (20, 1, .unknownAuthority(issuer: "/CN=I")),
      (62, 0, .wrongHost("h")), (64, 0, .wrongHost("h")), (23, 0, .untrusted(reason: "words")),
    ] as [(Int, Int, TLSError)]
  )
  func `a certificate error has a remedy`(code: Int, depth: Int, error: TLSError) {
    let found = TLSError.unverified(
      code, depth: depth, issuer: "/CN=I", host: "h", words: "words")
    #expect(found == error)
  }

  private func error(
    _ reason: Int, isInHandshake: Bool = true, lacksCertificate: Bool = false
  ) -> TLSError {
    .failure(
      reason, words: "words", isInHandshake: isInHandshake, lacksCertificate: lacksCertificate)
  }

  @Test func `bytes that are not TLS are an error only in the handshake`() {
    for reason in [155, 156, 267] {
      #expect(error(reason) == .notTLS)
      #expect(error(reason, isInHandshake: false) == .failed(reason: "words"))
    }
  }

  @Test func `an old protocol is reported by either side`() {
    #expect(error(258) == .protocolTooOld)
    #expect(error(1_070) == .protocolTooOld)
  }

  @Test func `an alert has the RFC's name, or the text of OpenSSL`() {
    #expect(error(1_048) == .refused(alert: 48, reason: "unknown_ca"))
    #expect(error(1_116) == .refused(alert: 116, reason: "certificate_required"))
    #expect(error(1_255) == .refused(alert: 255, reason: "words"))
    // The range of alerts.
    #expect(error(1_000) == .failed(reason: "words"))
    #expect(error(1_256) == .failed(reason: "words"))
  }

  @Test func `a missing client certificate is reported as required`() {
    for reason in [1_040, 1_042, 1_116] {
      #expect(error(reason, lacksCertificate: true) == .clientCertificateRequired)
    }
    #expect(error(1_048, lacksCertificate: true) == .refused(alert: 48, reason: "unknown_ca"))
  }
}
