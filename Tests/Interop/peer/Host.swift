import Foundation
import Sockets

/// The servers of `interop-peer serve`: one without restrictions, and one for the pages of the first.
final class Host: Sendable {
  private let page: Data?
  private let servers = Locked<[WebSocketServer]>([])
  /// Codes and reasons of the clients that were connected to `/reported`.
  private let closes = Locked<[String]>([])

  private init(page: Data?) { self.page = page }

  static func serve(_ words: [String]) throws {
    var words = words
    let page = words.count % 2 == 1 ? try Data(contentsOf: URL(filePath: words.removeFirst())) : nil
    var identity: TLSIdentity?
    if words.count == 2 {
      identity = TLSIdentity(
        certificateChain: try PEM(contentsOfFile: words[0]),
        privateKey: try PEM(contentsOfFile: words[1])
      )
    }
    let host = Host(page: page)
    let url = try host.open(identity)
    Peer.print(url)
    guard page != nil else {
      while readLine() != nil {}
      return withExtendedLifetime(host) {}
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 55) {
      Peer.print("FAILED: the page has not come to its end within 55 seconds")
      exit(1)
    }
    withExtendedLifetime(host) { dispatchMain() }
  }

  /// - Returns: The URL of the pages.
  private func open(_ identity: TLSIdentity?) throws -> String {
    var configuration = WebSocketConfiguration(subprotocols: ["chat.v2", "chat.v1"])
    configuration.compression = .deflate()
    // Browsers answer pings without an event for the page.
    configuration.keepalive = .init(interval: .seconds(1), timeout: .seconds(1))
    var admission = WebSocketAdmission()
    admission.decide = { $0.path == "/refused" ? .refuse(status: 401) : .accept() }
    admission.proxies = TrustedProxies(["127.0.0.1"], header: .xForwardedFor)
    let server = try WebSocketServer(
      identity: identity, configuration: configuration, admission: admission, loops: 2
    ) { [self] in answer($0) }
    let url = server.url.replacing("ws", with: "http", maxReplacements: 1)
    admission.origins = .only([String(url.dropLast())])
    let guarded = try WebSocketServer(
      identity: identity, configuration: configuration, admission: admission)
    for server in [server, guarded] {
      _ = server.connections.subscribe(onNext: { [self] in treat($0) })
    }
    servers.withLock { $0 = [server, guarded] }
    return url
  }

  // MARK: Plain requests

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    switch (request.method, request.path) {
    case ("GET", "/") where page != nil:
      let headers: HTTPHeaders = ["Content-Type": "text/html; charset=utf-8"]
      return HTTPResponse(headers: headers, body: page ?? Data())
    case ("GET", "/address"): return .text(request.clientAddress?.host ?? "none")
    case ("GET", "/closes"): return .text(closes.withLock { $0.joined(separator: ",") })
    case ("GET", "/guarded"): return .text(servers.withLock { $0.last?.url ?? "" })
    case ("GET", "/refused"):
      // The number of responses with the status of the query.
      let status = request.query.flatMap { Int($0) } ?? 0
      let counts = servers.withLock { $0 }.map { $0.totals.refused[status] ?? 0 }
      return .text("\(counts.reduce(0, +))")
    case ("POST", "/verdict"):
      Peer.print(String(decoding: request.body, as: UTF8.self))
      return .text("")
    case ("POST", "/end"):
      let isGood = request.body == Data("true".utf8)
      // The browser receives its answer first.
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { exit(isGood ? 0 : 1) }
      return .text("")
    default: return .text("not here\n", status: 404)
    }
  }

  // MARK: WebSockets

  private func treat(_ socket: WebSocket) {
    switch socket.request?.path {
    case "/echo":
      _ = socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
    case "/fragments":
      // While the first message waits, the others are sent in fragments.
      for part in 1...4 { try? socket.send(String(repeating: "\(part)", count: 1 << 20)) }
    case "/close":
      let code = socket.request?.query.flatMap { UInt16($0) } ?? 1_000
      socket.close(code: CloseCode(rawValue: code), reason: "as \"asked\": ü")
    case "/reported":
      _ = socket.events.subscribe(onNext: { [closes] event in
        guard case .disconnected(let code, let reason) = event else { return }
        closes.withLock { $0.append("\(code.rawValue) \(reason)") }
      })
    case "/address": try? socket.send(socket.request?.clientAddress?.host ?? "none")
    case "/alive":
      Task {
        // The keepalive sends pings meanwhile, and one ping is awaited.
        try await Task.sleep(for: .milliseconds(2_500))
        let roundTrip = try await socket.ping()
        try socket.send(roundTrip > .zero ? "alive" : "no time has passed")
      }
    default: break
    }
  }
}
