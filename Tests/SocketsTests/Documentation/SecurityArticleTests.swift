import Reactive
import Sockets
import TestSupport
import Testing

@Suite("The article on security", .workerPool)
struct SecurityArticleTests {
  /// The server of the article.
  private static func server() throws -> WebSocketServer {
    @Sendable func user(of request: WebSocketRequest) async throws -> String? {
      request.headers["Authorization"] == "Bearer ann" ? "Ann" : nil
    }
    var admission = WebSocketAdmission()
    admission.connectionLimit = 5_000
    admission.origins = .only(["https://example.com"])
    admission.addressLimits.connections = 50
    admission.addressLimits.handshakes = WebSocketRate(perSecond: 5, burst: 20)
    admission.addressLimits.messages = WebSocketRate(perSecond: 100, burst: 500)
    admission.decide = { request in
      guard request.headers["Host"] == "example.com" else { return .refuse(status: 421) }
      guard let user = try await user(of: request) else { return .refuse(status: 401) }
      return .accept(context: user)
    }
    return try WebSocketServer(admission: admission)
  }

  private static let refused: [(HTTPHeaders, Int)] = [
    (["Host": "evil.example", "Authorization": "Bearer ann"], 421),
    (["Host": "example.com"], 401),
    (["Host": "example.com", "Origin": "https://evil.example"], 403),
  ]

  @Test(arguments: refused)
  func `a public server refuses foreign hosts, origins and users`(
    headers: HTTPHeaders, status: Int
  ) async throws {
    let server = try Self.server()
    let socket = WebSocket.connect(to: server.url, configuration: .init(headers: headers))
    let error = await #expect(throws: WebSocketError.self) { try await socket.connected() }
    guard case .handshake(.rejected(let found, _, _, _)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found == status)
  }

  @Test func `a public server accepts its user, whom the connection has as context`() async throws {
    let server = try Self.server()
    let users = Watched<[String]>([])
    let subscription = server.connections.subscribe(onNext: { socket in
      users.update { $0.append(socket.request?.context as? String ?? "") }
    })
    let headers: HTTPHeaders = [
      "Host": "example.com", "Authorization": "Bearer ann", "Origin": "https://example.com",
    ]
    let socket = WebSocket.connect(to: server.url, configuration: .init(headers: headers))
    try await socket.connected()
    await users.wait { $0 == ["Ann"] }
    subscription.dispose()
    socket.close()
  }
}
