import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("Certificates of clients", .workerPool)
struct TLSClientCertificateTests {
  private func asking(
    _ certificates: TLSServerConfiguration.ClientCertificates, named isNamed: Bool = false
  ) -> TLSServerConfiguration {
    var configuration = isNamed ? .named : TLSServerConfiguration(identity: Certificates.good)
    configuration.clientCertificates = certificates
    return configuration
  }

  @Test(arguments: [true, false])
  func `a server reads a client's certificate that its authorities issued`(isNamed: Bool) throws {
    for certificates in [
      TLSServerConfiguration.ClientCertificates.requested(authorities: Certificates.authority),
      .required(authorities: Certificates.authority),
    ] {
      let outcome = try shakeHands(
        asking(certificates, named: isNamed), identity: Certificates.client)
      #expect(outcome.client == nil && outcome.server == nil)
      let shown = try #require(outcome.session.clientCertificate)
      #expect(shown.subject == "CN=Test Client")
    }
  }

  @Test
  func `the names of a certificate are sorted by kind, without names that are not ASCII`()
    throws
  {
    let outcome = try shakeHands(
      asking(.required(authorities: Certificates.authority)), identity: Certificates.member)
    // Its second DNS name is admin.test, a zero byte, and .clients.test.
    let member = TLSClientCertificate(
      subject: "CN=Alice\\, Operations",
      commonName: "Alice, Operations",
      dnsNames: ["alice.clients.test"],
      emailAddresses: ["alice@clients.test"],
      uris: ["urn:example:alice"],
      fingerprint: Certificates.memberFingerprint
    )
    #expect(outcome.session.clientCertificate == member)
  }

  @Test func `a client without a certificate is accepted if requested, refused if required`()
    throws
  {
    let served = try shakeHands(asking(.requested(authorities: Certificates.authority)))
    #expect(served.client == nil && served.server == nil)
    #expect(served.session.clientCertificate == nil)
    let refused = try shakeHands(asking(.required(authorities: Certificates.authority)))
    #expect(refused.client == .clientCertificateRequired)
    #expect(refused.server == .noClientCertificate)
    #expect(refused.session.clientCertificate == nil)
  }

  @Test(arguments: [Certificates.stranger, Certificates.selfsigned, Certificates.expired])
  func `an unverified certificate ends the handshake, also where none is required`(
    identity: TLSIdentity
  ) throws {
    for isNamed in [true, false] {
      let outcome = try shakeHands(
        asking(.requested(authorities: Certificates.authority), named: isNamed),
        identity: identity)
      let errors: [TLSError] = [
        .unknownAuthority(issuer: "/CN=Test Stranger"), .selfSigned, .certificateExpired,
      ]
      #expect(outcome.server.map { errors.contains($0) } == true, "\(outcome)")
      guard case .refused = outcome.client else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(outcome.session.clientCertificate == nil)
    }
  }

  @Test(arguments: [false, true])
  func `more than 8 KiB of client certificates are refused before they are parsed`(
    isNamed: Bool
  ) throws {
    let asking = asking(.required(authorities: Certificates.authority), named: isNamed)
    func shown(with issuers: Int) -> TLSIdentity {
      let client = Certificates.client
      let chain = Array(repeating: Certificates.authority.text, count: issuers)
      return TLSIdentity(
        certificateChain: PEM(([client.certificateChain.text] + chain).joined(separator: "\n")),
        privateKey: client.privateKey)
    }
    let short = try shakeHands(asking, identity: shown(with: 15))
    #expect(short.server == nil && short.session.clientCertificate != nil)
    let long = try shakeHands(asking, identity: shown(with: 25))
    #expect(long.server == .certificatesTooLong)
    #expect(long.session.clientCertificate == nil)
    guard case .refused = long.client else {
      Issue.record("\(long)")
      return
    }
  }

  @Test func `a client sends no certificate without a request`() throws {
    let outcome = try shakeHands(
      .init(identity: Certificates.good), identity: Certificates.client)
    #expect(outcome.client == nil && outcome.session.clientCertificate == nil)
  }

  @Test(arguments: ["CN=Test Client", "CN=Zoë\\, Jr.,O=A B", "a\tb\r\nc\u{0}d", ""])
  func `a request retains the client's certificate`(subject: String) {
    let shown = TLSClientCertificate(
      subject: subject, commonName: subject.isEmpty ? nil : subject,
      dnsNames: ["a.test", "b.test"], emailAddresses: ["a\t\"b\"@c"], uris: [""], fingerprint: "0a")
    let address = NetworkAddress("192.0.2.1", port: 80)
    let remoteClient = RemoteClient(number: 7, peerAddress: address, address: address)
    let head = HTTPHead.bytes("GET / HTTP/1.1", ["Host": "a"])
    let request = WebSocketRequest(head, remoteClient: remoteClient, certificate: shown)
    #expect(request.clientCertificate == shown && request.remoteClient == remoteClient)
    #expect(request.path == "/" && request.headers["Host"] == "a")
    let other = WebSocketRequest(head, remoteClient: remoteClient)
    #expect(other.clientCertificate == nil && other.remoteClient == remoteClient)
  }

  @Test func `decide, the connection and onRequest receive the client's certificate`()
    async throws
  {
    var admission = WebSocketAdmission()
    admission.decide = { request in
      request.clientCertificate?.subject == "CN=Test Client" ? .accept() : .refuse(status: 403)
    }
    let sockets = Watched<[WebSocket]>([])
    let server = try WebSocketServer(
      tls: asking(.required(authorities: Certificates.authority)),
      configuration: .init().onStoppedClock,
      admission: admission
    ) { .text($0.clientCertificate?.subject ?? "anonymous") }
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in sockets.update { $0.append(socket) } })
      .disposed(by: bag)
    var configuration = WebSocketConfiguration()
    configuration.tls = .trusting
    configuration.tls.identity = Certificates.client
    let (socket, recorder) = WebSocket.recorded(to: server.url, configuration)
    socket.connect()
    await recorder.waitUntilConnected()
    await sockets.wait { $0.count == 1 }
    #expect(sockets.value[0].request?.clientCertificate?.subject == "CN=Test Client")
    let session = try OpenSSL().makeSession(.client(host: "localhost"), configuration.tls)
    let peer = TransportRecorder(
      TLSTransport(over: TCPTransport(host: "127.0.0.1", port: server.port), session))
    await peer.start()
    peer.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("CN=Test Client") }
    peer.transport.close()
  }

  @Test(arguments: [true, false])
  func `a refused client certificate is a notice in the log, and emits no connection`(
    hasIdentity: Bool
  ) async throws {
    let lines = Watched<[String]>([])
    var configuration = WebSocketConfiguration().onStoppedClock
    configuration.log = WebSocketLog(.info) { level, line in
      lines.update { $0.append("\(level) \(line)") }
    }
    let server = try WebSocketServer(
      tls: asking(.required(authorities: Certificates.authority)), configuration: configuration)
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { _ in Issue.record("connected") }).disposed(by: bag)
    var clientConfiguration = WebSocketConfiguration()
    clientConfiguration.tls = .trusting
    clientConfiguration.tls.identity = hasIdentity ? Certificates.expired : nil
    let (socket, recorder) = WebSocket.recorded(to: server.url, clientConfiguration)
    socket.connect()
    await recorder.waitUntilOver()
    let error: TLSError =
      hasIdentity
      ? .refused(alert: 45, reason: "certificate_expired") : .clientCertificateRequired
    #expect(recorder.value.failure == .transport(.tls(error)))
    await lines.wait { !$0.isEmpty }
    let problem =
      hasIdentity
      ? "the peer's certificate has expired" : "the client presented no certificate"
    #expect(lines.value.count == 1)
    #expect(lines.value[0].hasPrefix("notice connection 1 from 127.0.0.1"))
    #expect(lines.value[0].hasSuffix(problem))
    while server.totals.handshaking > 0 { await Task.yield() }
    #expect(server.totals.failedTLS == 1 && server.totals.timedOut == 0)
  }
}
