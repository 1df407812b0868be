import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("TLS of a server", .workerPool)
struct TLSServerTests {
  private typealias Outcome = (client: TLSError?, server: TLSError?, session: any TLSSession)

  /// Makes the handshake between a client and a session of this server, in memory.
  private func shakeHands(
    _ configuration: TLSServerConfiguration,
    host: String = "localhost",
    identity: TLSIdentity? = nil
  ) throws -> Outcome {
    var trusting = TLSConfiguration.trusting
    trusting.identity = identity
    let provider = OpenSSL()
    let client = try provider.makeSession(.client(host: host), trusting)
    let server = try provider.prepare(configuration)()
    var outcome: Outcome = (nil, nil, server)
    var sent = step(client, [], &outcome.client)
    for _ in 0..<4 {
      sent = step(server, sent, &outcome.server)
      sent = step(client, sent, &outcome.client)
    }
    return outcome
  }

  /// Gives a session these bytes, and returns what it sends.
  private func step(_ session: any TLSSession, _ bytes: [UInt8], _ failure: inout TLSError?)
    -> [UInt8]
  {
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 1)
    defer { plaintext.deallocate() }
    bytes.withUnsafeBytes { bytes in
      var input = bytes
      guard failure == nil else { return }
      do throws(TLSError) {
        if try session.shakeHands(&input) { _ = try session.read(&input, into: plaintext) }
      } catch {
        failure = error
      }
    }
    var sent: [UInt8] = []
    _ = session.drain { bytes in
      sent += bytes
      return bytes.count
    }
    return sent
  }

  private var named: TLSServerConfiguration {
    var configuration = TLSServerConfiguration()
    configuration.identities = [
      "localhost": Certificates.good, "Elsewhere.test.": Certificates.elsewhere,
      "*.elsewhere.TEST": Certificates.elsewhere,
    ]
    return configuration
  }

  // MARK: Names

  @Test(arguments: ["localhost", "elsewhere.test", "a.elsewhere.test", "A-1.Elsewhere.Test"])
  func `6066 3: each name gets its own identity`(host: String) throws {
    let outcome = try shakeHands(named, host: host)
    #expect(outcome.client == nil && outcome.server == nil)
  }

  @Test(arguments: ["a.example.test", "b.a.elsewhere.test", "test", "127.0.0.1"])
  func `6066 3: a name that is not known, and none, get the identity for others, if there is one`(
    host: String
  ) throws {
    let refused = try shakeHands(named, host: host)
    #expect(refused.client == .refused(alert: 112, reason: "unrecognized_name"))
    #expect(refused.server != nil)
    var configuration = named
    configuration.identity = Certificates.good
    let outcome = try shakeHands(configuration, host: host)
    let isCovered = host == "a.example.test" || host == "127.0.0.1"
    #expect(outcome.client == (isCovered ? nil : .wrongHost(host)))
  }

  @Test(arguments: [
    "", "*", "*.", "*.*.test", "a.*", "a b.test", "bücher.example", "a..test", "a:443",
  ])
  func `what is no name of a host is refused before the server listens`(name: String) {
    var configuration = TLSServerConfiguration(identity: Certificates.good)
    configuration.identities = [name: Certificates.good]
    #expect {
      _ = try WebSocketServer(tls: configuration)
    } throws: { error in
      guard case TransportError.tls(.invalidConfiguration(let reason)) = error else { return false }
      return reason.contains(name.debugDescription)
    }
    configuration.identities = ["a.test": Certificates.good, "A.test.": Certificates.good]
    #expect(throws: TransportError.self) { _ = try WebSocketServer(tls: configuration) }
  }

  @Test func `a server without any identity is refused`() {
    #expect(throws: TransportError.tls(.invalidConfiguration("a server needs an identity"))) {
      _ = try WebSocketServer(tls: .init())
    }
  }

  // MARK: Certificates of clients

  private func asking(
    _ certificates: TLSServerConfiguration.ClientCertificates, named isNamed: Bool = false
  ) -> TLSServerConfiguration {
    var configuration = isNamed ? named : TLSServerConfiguration(identity: Certificates.good)
    configuration.clientCertificates = certificates
    return configuration
  }

  @Test(arguments: [true, false])
  func `a client that shows a certificate of the authorities is known by it`(isNamed: Bool) throws {
    for certificates in [
      TLSServerConfiguration.ClientCertificates.requested(authorities: Certificates.authority),
      .required(authorities: Certificates.authority),
    ] {
      let outcome = try shakeHands(
        asking(certificates, named: isNamed), identity: Certificates.client)
      #expect(outcome.client == nil && outcome.server == nil)
      let shown = try #require(outcome.session.clientCertificate)
      #expect(shown.subject == "CN=Test Client")
      // openssl x509 -fingerprint -sha256
      #expect(
        shown.fingerprint
          == "75f011f0bfb97d99d51887126 51c8b132cd160ce0f5d48bf1379e567807b7cfb"
          .replacing(" ", with: ""))
      #expect(
        Certificates.client.certificateChain.text.filter { !$0.isNewline }
          .contains(shown.der.base64EncodedString()))
    }
  }

  @Test func `a client without a certificate is served where it is requested, not where required`()
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
  func `a certificate that is not verified ends the handshake, also where none is required`(
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

  @Test func `a client that is not asked shows nothing`() throws {
    let outcome = try shakeHands(
      .init(identity: Certificates.good), identity: Certificates.client)
    #expect(outcome.client == nil && outcome.session.clientCertificate == nil)
  }

  @Test(arguments: ["CN=Test Client", "CN=Zoë\\, Jr.,O=A B", ""])
  func `a request keeps what was shown`(subject: String) {
    let shown = TLSClientCertificate(
      subject: subject, fingerprint: "0a", der: Data([0, 9, 13, 10, 255]))
    let visitor = Visitor(7, NetworkAddress("192.0.2.1", port: 80))
    let request = WebSocketRequest(
      path: "/", query: nil, headers: ["Host": "a"], visitor: visitor, certificate: shown)
    #expect(request.clientCertificate == shown && request.visitor == visitor)
    #expect(request.path == "/" && request.headers["Host"] == "a")
    let other = WebSocketRequest(path: "/", query: nil, headers: [:], visitor: visitor)
    #expect(other.clientCertificate == nil && other.visitor == visitor)
  }

  @Test func `decide, the connection and onRequest know the client by its certificate`()
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
    ) { .text($0.clientCertificate?.subject ?? "nobody") }
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in sockets.update { $0.append(socket) } })
      .disposed(by: bag)
    var configuration = WebSocketConfiguration()
    configuration.tls = .trusting
    configuration.tls.identity = Certificates.client
    let (socket, diary) = WebSocket.written(to: server.url, configuration)
    socket.connect()
    await diary.waitUntilConnected()
    await sockets.wait { $0.count == 1 }
    #expect(sockets.value[0].request?.clientCertificate?.subject == "CN=Test Client")
    let session = try OpenSSL().makeSession(.client(host: "localhost"), configuration.tls)
    let peer = Recorder(
      TLSTransport(over: TCPTransport(host: "127.0.0.1", port: server.port), session))
    await peer.start()
    peer.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("CN=Test Client") }
    peer.transport.close()
  }

  // MARK: Reloading

  @Test func `other identities are for new connections, and the others go on`() async throws {
    let server = try WebSocketServer(
      tls: .init(identity: Certificates.good), configuration: .init().onStoppedClock)
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in
      socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
        .disposed(by: bag)
    }).disposed(by: bag)
    var configuration = WebSocketConfiguration()
    configuration.tls = .trusting
    let (old, diary) = WebSocket.written(to: server.url, configuration)
    old.connect()
    await diary.waitUntilConnected()

    func failureOfNewClient() async -> WebSocketError? {
      let (socket, diary) = WebSocket.written(to: server.url, configuration)
      socket.connect()
      await diary.waitUntilOver()
      return diary.value.failure
    }
    try server.reload(.init(identity: Certificates.elsewhere))
    #expect(await failureOfNewClient() == .transport(.tls(.wrongHost("127.0.0.1"))))
    let broken = TLSIdentity(
      certificateChain: Certificates.good.certificateChain,
      privateKey: Certificates.elsewhere.privateKey)
    #expect(throws: TransportError.self) { try server.reload(.init(identity: broken)) }
    #expect(await failureOfNewClient() == .transport(.tls(.wrongHost("127.0.0.1"))))
    try old.send("still here")
    await diary.log.wait { $0.messages == [.text("still here")] }
    let plain = try WebSocketServer(configuration: .init().onStoppedClock)
    #expect(throws: TransportError.self) { try plain.reload(.init(identity: Certificates.good)) }
  }

  @Test func `a provider of one's own serves one identity without knowing of servers`() throws {
    struct Plain: TLSProvider {
      func makeSession(_ role: TLSRole, _ configuration: TLSConfiguration) throws(TLSError)
        -> any TLSSession
      { try OpenSSL().makeSession(role, configuration) }
    }
    let identity = TLSServerConfiguration(identity: Certificates.good)
    #expect(try Plain().prepare(identity)().clientCertificate == nil)
    #expect(
      throws: TLSError.unavailable(
        reason: "Plain knows no server names and no client certificates")
    ) { _ = try Plain().prepare(named) }
    let asking = asking(.requested(authorities: Certificates.authority))
    #expect(throws: TLSError.self) { _ = try Plain().prepare(asking) }
  }

  // MARK: Turns

  /// A handshake that takes a millisecond for each delivery and is not done before it has ten bytes.
  private final class SlowSession: TLSSession {
    private let steps: Watched<Int>
    private var received = 0

    init(_ steps: Watched<Int>) { self.steps = steps }

    func shakeHands(_ input: inout UnsafeRawBufferPointer) -> Bool {
      if input.isEmpty { return false }
      let end = Clock.now + 1_000_000
      while Clock.now < end {}
      steps.update { $0 += 1 }
      let taken = min(input.count, 10 - received)
      received += taken
      input = UnsafeRawBufferPointer(rebasing: input[taken...])
      return received == 10
    }

    func read(
      _ input: inout UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer
    ) -> TLSInput {
      defer { input = UnsafeRawBufferPointer(rebasing: input[input.count...]) }
      plaintext.copyMemory(from: input)
      return input.isEmpty ? .needsMore : .bytes(input.count)
    }

    func write(_ plaintext: UnsafeRawBufferPointer) -> Int { plaintext.count }
    func end() {}
    func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool { true }
  }

  @Test func `a crowd of handshakes takes a part of each turn of the loop, and all are made`()
    async throws
  {
    try await withLoop { loop in
      let steps = Watched(0)
      var clients: [Recorder] = []
      var servers: [Recorder] = []
      for _ in 0..<40 {
        let (near, far) = MemoryTransport.pair(loop: loop)
        clients.append(Recorder(far))
        await clients.last?.start()
        let transport = TLSTransport(over: near, SlowSession(steps), takesTurns: true)
        servers.append(Recorder(transport))
        transport.start(servers[servers.count - 1])
      }
      await loop.settle()
      for client in clients { client.send([1, 2, 3, 4, 5, 6, 7]) }
      var most = 0
      var last = 0
      while last < 40 {
        await loop.settle(turns: 1)
        let now = steps.value
        most = max(most, now - last)
        last = now
      }
      // Two milliseconds, and the one that is under way; the test itself may miss a turn or two.
      #expect(most < 15)
      // What comes behind the handshake is delivered.
      for client in clients { client.send([8, 9, 10, 11, 12]) }
      for server in servers {
        await server.log.wait { $0.received == [11, 12] }
        #expect(server.log.value.opened == 1)
      }
      for client in clients { client.transport.close() }
      for server in servers { await server.log.wait { $0.isClosed } }
    }
  }

  @Test func `the work of open connections does not wait behind a crowd of handshakes`()
    async throws
  {
    try await withLoop { loop in
      let steps = Watched(0)
      var clients: [Recorder] = []
      var servers: [Recorder] = []
      for _ in 0..<40 {
        let (near, far) = MemoryTransport.pair(loop: loop)
        clients.append(Recorder(far))
        await clients.last?.start()
        let transport = TLSTransport(over: near, SlowSession(steps), takesTurns: true)
        servers.append(Recorder(transport))
        transport.start(servers[servers.count - 1])
      }
      await loop.settle()
      let stepsBefore = Watched<Int?>(nil)
      // On the loop, so that all begin in one turn.
      await loop.run { [clients] in
        for client in clients { client.send([1, 2, 3]) }
        loop.execute {
          loop.execute {
            loop.executeFairly { stepsBefore.update { $0 = steps.value } }
          }
        }
      }
      await stepsBefore.wait { $0 != nil }
      #expect(stepsBefore.value.map { $0 <= 12 } == true, "\(stepsBefore.value ?? -1)")
      for client in clients { client.transport.close() }
      for server in servers { await server.log.wait { $0.isClosed } }
    }
  }

  @Test func `a handshake that waits for its turn is over when its client leaves`() async throws {
    try await withLoop { loop in
      let steps = Watched(0)
      let (near, far) = MemoryTransport.pair(loop: loop)
      let client = Recorder(far)
      await client.start()
      let server = Recorder(TLSTransport(over: near, SlowSession(steps), takesTurns: true))
      server.transport.start(server)
      await loop.settle()
      client.send([1])
      client.transport.close()
      await server.log.wait { $0.isClosed }
      #expect(server.log.value.opened == 0)
      // Closed by this side, while it waits.
      let (one, other) = MemoryTransport.pair(loop: loop)
      let second = Recorder(other)
      await second.start()
      let closed = Recorder(TLSTransport(over: one, SlowSession(steps), takesTurns: true))
      closed.transport.start(closed)
      await loop.settle()
      second.send([1])
      closed.transport.close()
      await closed.log.wait { $0.isClosed }
      #expect(closed.log.value.opened == 0)
    }
  }
}
