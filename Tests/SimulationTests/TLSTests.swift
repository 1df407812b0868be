import Foundation
import ReactiveTesting
import Testing

@Suite("TLS in simulations", .workerPool)
struct TLSTests {
  private static let identity = TLSIdentity(
    certificateChain: PEM("chain"), privateKey: PEM("key"))

  /// A server that answers with the name in the certificate of its client.
  private final class Greeter: @unchecked Sendable {
    // Used on the thread of the simulation alone.
    private let bag = DisposeBag()

    init(_ change: (inout TLSServerConfiguration) -> Void = { _ in }) throws {
      var tls = TLSServerConfiguration(identity: TLSTests.identity)
      change(&tls)
      let server = try WebSocketServer(host: "", port: 443, tls: tls)
      server.connections.subscribe(onNext: { socket in
        let name = socket.request?.clientCertificate?.commonName ?? "nobody"
        try? socket.send("hello \(name)")
      })
      .disposed(by: bag)
      Disposables.create { server.close() }.disposed(by: bag)
    }
  }

  /// A client that connects once.
  private final class Guest: @unchecked Sendable {
    // Used on the thread of the simulation alone.
    private(set) var texts: [String] = []
    private(set) var failure: WebSocketError?
    private let bag = DisposeBag()

    init(_ url: String, identity: TLSIdentity? = nil) {
      var configuration = WebSocketConfiguration()
      configuration.tls.identity = identity
      WebSocket.connect(to: url, configuration: configuration).messages
        .subscribe(
          onNext: { [weak self] in if let text = $0.text { self?.texts.append(text) } },
          onError: { [weak self] in self?.failure = $0 as? WebSocketError }
        )
        .disposed(by: bag)
    }
  }

  /// What a guest of a server has received, and its error.
  private func visit(
    _ url: String, identity: TLSIdentity? = nil,
    _ change: @escaping (inout TLSServerConfiguration) -> Void = { _ in }
  ) throws -> (texts: [String], failure: WebSocketError?) {
    var result: (texts: [String], failure: WebSocketError?) = ([], nil)
    try Simulation(seed: 1, for: .seconds(10)) { world in
      world.host("server") { _ in try Greeter(change) }
      let phone = world.host("phone") { _ in Guest(url, identity: identity) }
      world.after(.seconds(9)) {
        phone.perform { result = ($0.texts, $0.failure) }
      }
    }
    return result
  }

  @Test func `a connection with TLS carries messages`() throws {
    let (texts, failure) = try visit("wss://server/")
    #expect(texts == ["hello nobody"] && failure == nil)
  }

  @Test func `the certificate of a host is valid for its name, and not for its address`() throws {
    let (texts, failure) = try visit("wss://10.0.0.1/")
    #expect(texts.isEmpty && failure == .transport(.tls(.wrongHost("10.0.0.1"))))
  }

  @Test func `a server without an identity for a name refuses who asks for it`() throws {
    let (_, failure) = try visit("wss://server/") {
      $0.identity = nil
      $0.identities["chat.example.com"] = Self.identity
    }
    #expect(
      failure == .transport(.tls(.refused(alert: 112, reason: "unrecognized_name"))))
    let (texts, _) = try visit("wss://server/") {
      $0.identity = nil
      $0.identities["server"] = Self.identity
    }
    #expect(texts == ["hello nobody"])
  }

  @Test func `the certificate of a client names its host`() throws {
    let (texts, _) = try visit("wss://server/", identity: Self.identity) {
      $0.clientCertificates = .required(authorities: PEM("authorities"))
    }
    #expect(texts == ["hello phone"])
    let (others, _) = try visit("wss://server/", identity: Self.identity)
    #expect(others == ["hello nobody"])
  }

  @Test func `a server that requires certificates refuses who has none`() throws {
    let (texts, failure) = try visit("wss://server/") {
      $0.clientCertificates = .required(authorities: PEM("authorities"))
    }
    #expect(texts.isEmpty && failure == .transport(.tls(.clientCertificateRequired)))
  }

  @Test func `who speaks TLS to a server without it, or not to one with it, is told`() throws {
    let (_, plain) = try visit("ws://server:443/")
    #expect("\(try #require(plain))".contains("TLS"), "\(String(describing: plain))")
    var failure: WebSocketError?
    try Simulation(seed: 1, for: .seconds(10)) { world in
      world.host("server") { _ in try Echo() }
      let phone = world.host("phone") { _ in Guest("wss://server:8080/") }
      world.after(.seconds(9)) { phone.perform { failure = $0.failure } }
    }
    #expect(failure == .transport(.tls(.plainHTTP)))
  }

  @Test(arguments: seeds(20))
  func `connections with TLS keep their promises when the network fails`(seed: UInt64) throws {
    try Simulation(seed: seed, for: .seconds(300)) { world in
      world.host("server") { _ in try Echo(tls: TLSServerConfiguration(identity: Self.identity)) }
      let client = world.host("client") { _ in Counter("wss://server:8080/") }
      world.every(.seconds(1)...(.seconds(2))) { _ in client.perform { $0.count() } }
      world.faults(.network(.frequent), .crashes(.occasional), .pauses(.occasional))
      world.always("numbers ascend") { client.isAscending ?? true }
      world.eventually("it is connected", within: .seconds(60), afterFaultsStop: true) {
        client.isConnected ?? false
      }
    }
  }
}
