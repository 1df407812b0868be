import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Safety of the inspector", .workerPool)
struct InspectorSafetyTests {
  private func response(_ url: String) async throws -> (status: Int, headers: [String: String]) {
    let (_, response) = try await URLSession.shared.data(from: try #require(URL(string: url)))
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, http.allHeaderFields as? [String: String] ?? [:])
  }

  @Test func `the page is served below the secret, with a strict policy`() async throws {
    let inspector = try Inspector.ofAdded()
    let page = try await response(inspector.url)
    #expect(page.status == 200)
    #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
    #expect(page.headers["Referrer-Policy"] == "no-referrer")
    #expect(page.headers["X-Content-Type-Options"] == "nosniff")
  }

  @Test func `nothing is served without the secret`() async throws {
    let inspector = try Inspector.ofAdded()
    let root = inspector.url.dropLast(33)
    for path in ["", "index.html", "socket", "0123456789abcdef0123456789abcdef/", "%00/"] {
      #expect(try await response(root + path).status == 404)
    }
    #expect(try await response(inspector.url + "nothing").status == 404)
    #expect(try await response(inspector.url + "../index.html").status == 404)
  }

  @Test func `a socket with another secret is refused`() async throws {
    let inspector = try Inspector.ofAdded()
    let root = inspector.url.dropLast(33).replacing("http://", with: "ws://")
    let socket = WebSocket.connect(to: root + "0123456789abcdef0123456789abcdef/socket")
    await #expect(throws: (any Error).self) { try await socket.connected() }
  }

  @Test(arguments: ["http://example.com", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
  func `a page of another origin is refused`(_ origin: String) async throws {
    let inspector = try Inspector.ofAdded()
    var configuration = WebSocketConfiguration()
    configuration.headers = ["Origin": origin]
    let socket = WebSocket(
      inspector.url.replacing("http://", with: "ws://") + "socket", configuration: configuration)
    socket.connect()
    await #expect(throws: (any Error).self) { try await socket.connected() }
  }

  @Test(arguments: ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
  func `a host that is neither an address nor this machine's is refused`(_ host: String)
    async throws
  {
    let inspector = try Inspector.ofAdded()
    var configuration = WebSocketConfiguration()
    configuration.headers = ["Origin": "http://\(host)", "Host": host]
    let socket = WebSocket(
      inspector.url.replacing("http://", with: "ws://") + "socket", configuration: configuration)
    socket.connect()
    await #expect(throws: (any Error).self) { try await socket.connected() }
  }

  @Test func `the page's own origin is accepted`() async throws {
    let inspector = try Inspector.ofAdded()
    var configuration = WebSocketConfiguration()
    configuration.headers = ["Origin": String(inspector.url.dropLast(34))]
    let socket = WebSocket(
      inspector.url.replacing("http://", with: "ws://") + "socket", configuration: configuration)
    socket.connect()
    try await socket.connected()
  }

  @Test func `acting may be turned off`() async throws {
    let inspector = try Inspector.ofAdded { $0.canAct = false }
    let sample = Composed(sending: Sample())
    inspector.add(sample)
    let client = try await InspectorClient(inspector.url)
    #expect(try await client("hello", ["version": 1])["canAct"] == false)
    let failure = try await client.failure(
      "send", ["composer": 1, "action": ["add": ["_0": 1]]])
    #expect(failure?.code == -32005)
    #expect(sample.state.count == 0)
    #expect(try await client("composers")["composers"]?[0]?["canSend"] == false)
  }

  @Test func `a binary message ends the connection`() async throws {
    let inspector = try Inspector.ofAdded()
    let client = try await InspectorClient.greeted(inspector.url)
    try client.socket.send(Data([1, 2, 3]))
    #expect(try await client.socket.closed().code == .unsupportedData)
    inspector.stop()
  }

  @Test func `the secret is compared as a whole`() {
    let secret = Secret()
    #expect(secret.text.count == 32)
    #expect(Secret().text != secret.text)
    #expect(secret.name(in: "/\(secret.text)/app.js") == "app.js")
    #expect(secret.name(in: "/\(secret.text)/") == "")
    #expect(secret.name(in: "/\(secret.text)") == nil)
    #expect(secret.name(in: "/\(secret.text.dropLast())x/") == nil)
    #expect(secret.name(in: "/\(secret.text)/a/b") == nil)
    #expect(secret.name(in: "//\(secret.text)/") == nil)
  }

  @Test func `a stopped inspector keeps no composer and no client`() async throws {
    let inspector = try Inspector.ofAdded()
    weak let held: Token?
    do {
      let token = Token()
      held = token
      let composed = Composed(sending: Retaining(token))
      inspector.add(composed)
      composed.send(1)
      #expect(held != nil)
    }
    #expect(held == nil)
    let client = try await InspectorClient.greeted(inspector.url)
    inspector.stop()
    #expect(try await client.socket.closed().code == .goingAway)
    await #expect(throws: (any Error).self) { try await response(inspector.url) }
  }

  @Test func `a composer and a socket may outlive their inspector, which keeps nothing of them`()
    async throws
  {
    let sample = Composed(sending: Sample())
    let server = try WebSocketServer()
    let socket = WebSocket(server.url)
    weak let held: Token?
    do {
      let inspector = try Inspector.ofAdded()
      inspector.add(sample)
      inspector.add(socket)
      let token = Token()
      held = token
      let holder = Composed(sending: Holding<Token>())
      inspector.add(holder)
      holder.send(token)
      sample.send(.add(1))
    }
    #expect(held == nil)
    sample.send(.add(1))
    sample.send(.watch(true))
    socket.connect()
    try await socket.connected()
    #expect(sample.state.count == 2)
    server.close()
  }

  private final class Token: Sendable {}

  private final class Retaining: Composer {
    typealias Action = Int
    struct State {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: Token
    init(_ token: Token) { self.token = token }
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }
}
