import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("TLS of a server", .workerPool)
struct TLSServerTests {
  // MARK: Names

  @Test(arguments: ["localhost", "elsewhere.test", "a.elsewhere.test", "A-1.Elsewhere.Test"])
  func `6066 3: each server name has its own identity`(host: String) throws {
    let outcome = try shakeHands(.named, host: host)
    #expect(outcome.client == nil && outcome.server == nil)
  }

  @Test(arguments: ["a.example.test", "b.a.elsewhere.test", "test", "127.0.0.1"])
  func `6066 3: an unknown or missing server name receives the default identity, if any`(
    host: String
  ) throws {
    let refused = try shakeHands(.named, host: host)
    #expect(refused.client == .refused(alert: 112, reason: "unrecognized_name"))
    #expect(refused.server != nil)
    var configuration = TLSServerConfiguration.named
    configuration.identity = Certificates.good
    let outcome = try shakeHands(configuration, host: host)
    let isCovered = host == "a.example.test" || host == "127.0.0.1"
    #expect(outcome.client == (isCovered ? nil : .wrongHost(host)))
  }

  @Test(arguments: [
    "", "*", "*.", "*.*.test", "a.*", "a b.test", "bücher.example", "a..test", "a:443",
    "127.0.0.1", "*.127.0.0.1",
  ])
  func `an invalid server name is refused before the server listens`(name: String) {
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

  @Test func `6066 3: server names are compared in ASCII, without case`() throws {
    let names = try ServerNames(["kelvin.test": 1, "*.KELVIN.test": 2])
    #expect(names["KELVIN.Test."] == 1 && names["A.kelvin.TEST"] == 2)
    // U+212A, whose lower case is k.
    #expect(names["\u{212A}elvin.test"] == nil && names["a.\u{212A}elvin.test"] == nil)
    // A dot with a combining mark is a dot.
    #expect(names["a.\u{301}b.kelvin.test"] == nil && names["\u{301}a.kelvin.test"] == 2)
    #expect(names["*.kelvin.test"] == nil && names[".kelvin.test"] == nil && names[""] == nil)
  }

  @Test func `an unusable identity is reported with its name`() {
    var configuration = TLSServerConfiguration.named
    configuration.identities["b.test"] = TLSIdentity(
      certificateChain: Certificates.good.certificateChain,
      privateKey: Certificates.elsewhere.privateKey)
    configuration.identities["c.test"] = TLSIdentity(
      certificateChain: PEM(""), privateKey: Certificates.good.privateKey)
    #expect {
      _ = try WebSocketServer(tls: configuration)
    } throws: { error in
      guard case TransportError.tls(.invalidConfiguration(let reason)) = error else { return false }
      return reason == "identity of \"b.test\": the private key cannot be used: key values mismatch"
    }
  }

  @Test func `a server without any identity is refused`() {
    #expect(throws: TransportError.tls(.invalidConfiguration("a server needs an identity"))) {
      _ = try WebSocketServer(tls: .init())
    }
  }

  // MARK: Key exchange

  @Test(arguments: [
    ("ffdhe2048", false), ("ffdhe8192", false), ("P-521", true), ("P-384", true), ("X25519", true),
  ])
  func `7919: a client cannot choose a finite field, whose key exchange takes 30 ms of a server`(
    group: String, isTaken: Bool
  ) throws {
    let context = try OpenSSLContext(OpenSSLLibrary.shared.get(), .trusting, isServer: false)
    let (functions, pointer) = (context.library.functions, context.pointer)
    let isSet = group.withCString { name in
      // SSL_CTX_set1_groups_list
      functions.pointee.SSL_CTX_ctrl(pointer, 92, 0, UnsafeMutableRawPointer(mutating: name))
    }
    try #require(isSet == 1)
    let client = try OpenSSLSession(context, .client(host: "localhost"))
    let outcome = try shakeHands(client, .init(identity: Certificates.good))
    #expect(outcome.client == (isTaken ? nil : .refused(alert: 40, reason: "handshake_failure")))
    #expect((outcome.server == nil) == isTaken)
  }

  // MARK: Reloading

  @Test func `reloaded identities apply to new connections, and open ones continue`() async throws {
    let server = try WebSocketServer(
      tls: .init(identity: Certificates.good), configuration: .init().onStoppedClock)
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in
      socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
        .disposed(by: bag)
    }).disposed(by: bag)
    var configuration = WebSocketConfiguration()
    configuration.tls = .trusting
    let (old, recorder) = WebSocket.recorded(to: server.url, configuration)
    old.connect()
    await recorder.waitUntilConnected()

    func failureOfNewClient() async -> WebSocketError? {
      let (socket, recorder) = WebSocket.recorded(to: server.url, configuration)
      socket.connect()
      await recorder.waitUntilOver()
      return recorder.value.failure
    }
    try server.reload(.init(identity: Certificates.elsewhere))
    #expect(await failureOfNewClient() == .transport(.tls(.wrongHost("127.0.0.1"))))
    let broken = TLSIdentity(
      certificateChain: Certificates.good.certificateChain,
      privateKey: Certificates.elsewhere.privateKey)
    #expect(throws: TransportError.self) { try server.reload(.init(identity: broken)) }
    #expect(await failureOfNewClient() == .transport(.tls(.wrongHost("127.0.0.1"))))
    try old.send("still here")
    await recorder.log.wait { $0.messages == [.text("still here")] }
    let plain = try WebSocketServer(configuration: .init().onStoppedClock)
    #expect(throws: TransportError.self) { try plain.reload(.init(identity: Certificates.good)) }
  }

  @Test func `a custom TLS provider serves one identity, and refuses server names`() throws {
    struct Plain: TLSProvider {
      func makeSession(_ role: TLSRole, _ configuration: TLSConfiguration) throws(TLSError)
        -> any TLSSession
      { try OpenSSL().makeSession(role, configuration) }
    }
    let identity = TLSServerConfiguration(identity: Certificates.good)
    #expect(try Plain().prepare(identity)().clientCertificate == nil)
    #expect(
      throws: TLSError.unavailable(
        reason: "Plain supports neither identities by name nor client certificates")
    ) { _ = try Plain().prepare(.named) }
    var asking = identity
    asking.clientCertificates = .requested(authorities: Certificates.authority)
    #expect(throws: TLSError.self) { _ = try Plain().prepare(asking) }
  }

  @Test func `the thousandth wss client costs as much as the second`() async throws {
    struct Refusing: TLSProvider {
      let depths: Watched<[Int]>

      func makeSession(_: TLSRole, _: TLSConfiguration) throws(TLSError) -> any TLSSession {
        throw .unavailable(reason: "a test")
      }

      func prepare(_: TLSServerConfiguration) -> MakeSession {
        { () throws(TLSError) in
          depths.update { $0.append(stackDepth()) }
          throw .unavailable(reason: "a test")
        }
      }
    }
    let depths = Watched<[Int]>([])
    var configuration = WebSocketConfiguration().onStoppedClock
    configuration.tlsProvider = Refusing(depths: depths)
    let lines = Watched<[String]>([])
    configuration.log = WebSocketLog(.error) { _, line in lines.update { $0.append(line) } }
    let server = try WebSocketServer(
      tls: .init(identity: Certificates.good), configuration: configuration)
    for count in 1...1000 {
      let client = RawSocket.connected(to: server.port)
      await depths.wait { $0.count == count }
      client.close()
    }
    let all = depths.value
    #expect(all[1] == all[999])
    await lines.wait { $0.count == 1000 }
    let last = lines.value.last
    #expect(last?.contains("dropped") == true && last?.contains("a test") == true)
  }

  // MARK: Turns

  /// A handshake of ten bytes that takes a millisecond for each delivery.
  private final class SlowSession: TLSSession {
    private let steps: Watched<Int>
    private var received = 0

    init(_ steps: Watched<Int>) { self.steps = steps }

    func shakeHands(_ input: inout UnsafeRawBufferPointer) -> Bool {
      if input.isEmpty { return false }
      let end = MonotonicClock.now + 1_000_000
      while MonotonicClock.now < end {}
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

  /// The maximum number of handshake steps in a turn of the loop.
  private final class TurnCounter: Sendable {
    let most = Watched(0)
    private let last = Watched(0)
    private let loop: EventLoop
    private let steps: Watched<Int>

    init(of loop: EventLoop, _ steps: Watched<Int>) { (self.loop, self.steps) = (loop, steps) }

    /// Counts at the end of each turn, until `total` steps are done.
    func watch(until count: Int) {
      loop.execute {
        let now = self.steps.value
        let taken = now - self.last.value
        self.most.update { $0 = max($0, taken) }
        self.last.update { $0 = now }
        if now < count { self.watch(until: count) }
      }
    }
  }

  @Test func `many handshakes take a part of each turn of the loop, and all complete`()
    async throws
  {
    try await withLoop { loop in
      let steps = Watched(0)
      var clients: [TransportRecorder] = []
      var servers: [TransportRecorder] = []
      for _ in 0..<40 {
        let (near, far) = MemoryTransport.pair(loop: loop)
        clients.append(TransportRecorder(far))
        await clients.last?.start()
        let transport = TLSTransport(over: near, SlowSession(steps), takesTurns: true)
        servers.append(TransportRecorder(transport))
        transport.start(servers[servers.count - 1])
      }
      await loop.settle()
      let turns = TurnCounter(of: loop, steps)
      turns.watch(until: 40)
      for client in clients { client.send([1, 2, 3, 4, 5, 6, 7]) }
      await steps.wait { $0 == 40 }
      await loop.settle()
      // Two milliseconds, and the running step.
      #expect(turns.most.value <= 3)
      // Bytes after the handshake are delivered.
      for client in clients { client.send([8, 9, 10, 11, 12]) }
      for server in servers {
        await server.log.wait { $0.received == [11, 12] }
        #expect(server.log.value.opened == 1)
      }
      for client in clients { client.transport.close() }
      for server in servers { await server.log.wait { $0.isClosed } }
    }
  }

  @Test func `many handshakes do not delay the work of open connections`()
    async throws
  {
    try await withLoop { loop in
      let steps = Watched(0)
      var clients: [TransportRecorder] = []
      var servers: [TransportRecorder] = []
      for _ in 0..<40 {
        let (near, far) = MemoryTransport.pair(loop: loop)
        clients.append(TransportRecorder(far))
        await clients.last?.start()
        let transport = TLSTransport(over: near, SlowSession(steps), takesTurns: true)
        servers.append(TransportRecorder(transport))
        transport.start(servers[servers.count - 1])
      }
      await loop.settle()
      let stepsBefore = Watched<Int?>(nil)
      // On the loop, so that all start in one turn.
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

  @Test func `a handshake that waits for its turn ends when its client disconnects`() async throws {
    try await withLoop { loop in
      let steps = Watched(0)
      let (near, far) = MemoryTransport.pair(loop: loop)
      let client = TransportRecorder(far)
      await client.start()
      let server = TransportRecorder(TLSTransport(over: near, SlowSession(steps), takesTurns: true))
      server.transport.start(server)
      await loop.settle()
      client.send([1])
      client.transport.close()
      await server.log.wait { $0.isClosed }
      #expect(server.log.value.opened == 0)
      // Closed by the server while it waits.
      let (one, other) = MemoryTransport.pair(loop: loop)
      let second = TransportRecorder(other)
      await second.start()
      let closed = TransportRecorder(TLSTransport(over: one, SlowSession(steps), takesTurns: true))
      closed.transport.start(closed)
      await loop.settle()
      second.send([1])
      closed.transport.close()
      await closed.log.wait { $0.isClosed }
      #expect(closed.log.value.opened == 0)
    }
  }
}
