import Reactive
import TestSupport
import Testing

@testable import Sockets

/// The trust of a client, by OpenSSL over a memory pair.
@Suite("Trust of TLS", .workerPool)
struct TLSTrustTests {
  private func failure(
    _ identity: TLSIdentity,
    host: String = "localhost",
    trusting configuration: TLSConfiguration = .trusting
  ) async throws -> TransportError? {
    try await withLoop { loop in
      let (client, server) = try await securedPair(
        loop,
        identity,
        host: host,
        trusting: configuration
      )
      client.transport.close()
      await client.log.wait { $0.isClosed }
      // A client that refuses sends an alert, or at least close_notify.
      if client.log.value.opened == 0 {
        await server.log.wait { $0.isClosed || $0.ended == 1 }
        if server.log.value.ended == 0 {
          guard case .tls(.refused) = server.log.value.closed.first else {
            Issue.record("\(server.log.value.closed)")
            return nil
          }
        }
      }
      return client.log.value.closed.first ?? nil
    }
  }

  @Test(arguments: [
    "localhost", "LOCALHOST", "localhost.", "api.example.test", "127.0.0.1", "::1", "::1%lo",
  ])
  func `a certificate is valid for its names and addresses`(host: String) async throws {
    #expect(try await failure(Certificates.good, host: host) == nil)
  }

  @Test(arguments: [
    "example.test", "a.b.example.test", "localhost.example", "127.0.0.2", "::2", "127.0.0.1.test",
  ])
  func `a certificate is not valid for other names and addresses`(host: String) async throws {
    #expect(try await failure(Certificates.good, host: host) == .tls(.wrongHost(host)))
  }

  @Test(
    arguments: [
      (Certificates.chained, nil), (Certificates.expired, TLSError.certificateExpired),
      (Certificates.early, .certificateNotYetValid),
      (Certificates.elsewhere, .wrongHost("localhost")),
      (Certificates.selfsigned, .selfSigned),
      (Certificates.stranger, .unknownAuthority(issuer: "/CN=Test Stranger")),
      (Certificates.incomplete, .incompleteChain(issuer: "/CN=Test Intermediate")),
    ] as [(TLSIdentity, TLSError?)])
  func `each defect of a certificate has its own error`(
    identity: TLSIdentity,
    error: TLSError?
  ) async throws {
    #expect(try await failure(identity) == error.map { .tls($0) })
  }

  @Test func `a trusted self-signed certificate is accepted`() async throws {
    var configuration = TLSConfiguration()
    configuration.authorities = .only(Certificates.selfsigned.certificateChain)
    #expect(try await failure(Certificates.selfsigned, trusting: configuration) == nil)
  }

  @Test func `a trusted intermediate certificate can be missing from the chain`() async throws {
    var configuration = TLSConfiguration.trusting
    let intermediate = Certificates.chained.certificateChain.text
    configuration.authorities = .only(PEM(Certificates.authority.text + "\n" + intermediate))
    #expect(try await failure(Certificates.incomplete, trusting: configuration) == nil)
  }

  @Test func `a trusted certificate need not be self-signed`() async throws {
    // An intermediate authority after the certificate that it issued.
    let ends = "-----END CERTIFICATE-----\n"
    let chain = Certificates.chained.certificateChain.text
    let intermediate = try #require(chain.firstRange(of: ends)).upperBound
    var configuration = TLSConfiguration()
    configuration.authorities = .only(PEM(String(chain[intermediate...])))
    #expect(try await failure(Certificates.chained, trusting: configuration) == nil)
    #expect(try await failure(Certificates.incomplete, trusting: configuration) == nil)
    #expect(try await failure(Certificates.good, trusting: configuration) != nil)
    // The server's own certificate, which is checked for its names too.
    configuration.authorities = .only(Certificates.good.certificateChain)
    #expect(try await failure(Certificates.good, trusting: configuration) == nil)
    #expect(
      try await failure(Certificates.good, host: "127.0.0.2", trusting: configuration)
        == .tls(.wrongHost("127.0.0.2"))
    )
    configuration.authorities = .only(Certificates.expired.certificateChain)
    #expect(
      try await failure(Certificates.expired, trusting: configuration)
        == .tls(.certificateExpired)
    )
  }

  @Test func `the system's authorities do not include a test authority by default`() async throws {
    guard case .known = Self.system else { return }
    var configuration = TLSConfiguration()
    let error = try await failure(Certificates.good, trusting: configuration)
    #expect(error == .tls(.incompleteChain(issuer: "/CN=Test Authority")))
    configuration.authorities = .systemAnd(Certificates.authority)
    #expect(try await failure(Certificates.good, trusting: configuration) == nil)
  }

  private static var system: SystemAuthorities {
    .find(file: "/usr/lib/ssl/cert.pem", directory: "/usr/lib/ssl/certs")
  }

  @Test func `the key of any certificate in the chain satisfies a pin`() async throws {
    for pin in [
      Certificates.chainedPin, Certificates.intermediatePin, Certificates.authorityPin,
    ] {
      var configuration = TLSConfiguration.trusting
      configuration.pins = [try PublicKeyPin(pin), try PublicKeyPin(Certificates.goodPin)]
      #expect(try await failure(Certificates.chained, trusting: configuration) == nil)
    }
    var configuration = TLSConfiguration.trusting
    configuration.pins = [try PublicKeyPin(Certificates.goodPin)]
    let error = TLSError.keyNotPinned(try PublicKeyPin(Certificates.chainedPin))
    #expect(try await failure(Certificates.chained, trusting: configuration) == .tls(error))
    // A pin does not replace trust.
    configuration.pins = [try PublicKeyPin("sha256/\(Certificates.goodPin)")]
    configuration.authorities = .only(Certificates.stranger.certificateChain)
    #expect(try await failure(Certificates.good, trusting: configuration) != nil)
  }
}
