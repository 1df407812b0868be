import Foundation
import Sockets

/// A server of a page whose script checks, in a browser, what the server does with WebSockets.
///
///     browsed PAGE [CERTIFICATE KEY]
///
/// Prints its URL, then the page's verdicts, one in each line. Exits with 0 when all of them are good, and with 1
/// when one is not, or a minute has passed without the last.
@main
enum Browsed {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count == 1 || words.count == 3 else {
      FileHandle.standardError.write(Data("usage: browsed PAGE [CERTIFICATE KEY]\n".utf8))
      exit(2)
    }
    var identity: TLSIdentity?
    if words.count == 3 {
      identity = TLSIdentity(
        certificateChain: try PEM(contentsOfFile: words[1]),
        privateKey: try PEM(contentsOfFile: words[2])
      )
    }
    let page = try Data(contentsOf: URL(filePath: words[0]))
    var configuration = WebSocketConfiguration(subprotocols: ["chat.v2", "chat.v1"])
    configuration.compression = .deflate()
    // Browsers answer pings, and tell nobody.
    configuration.keepalive = .init(interval: .milliseconds(200), timeout: .seconds(5))
    var admission = WebSocketAdmission()
    admission.decide = decide
    let closes = Locked<[String]>([])
    let server = try WebSocketServer(
      identity: identity, configuration: configuration, admission: admission, loops: 2
    ) { request in
      switch (request.method, request.path) {
      case ("GET", "/"):
        return HTTPResponse(headers: ["Content-Type": "text/html; charset=utf-8"], body: page)
      case ("GET", "/closes"): return .text(closes.withLock { $0.joined(separator: ",") })
      case ("POST", "/verdict"):
        say(String(decoding: request.body, as: UTF8.self))
        return .text("")
      case ("POST", "/end"):
        let isGood = request.body == Data("true".utf8)
        // The browser gets its answer first.
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { exit(isGood ? 0 : 1) }
        return .text("")
      default: return .text("not here\n", status: 404)
      }
    }
    _ = server.connections.subscribe(onNext: { treat($0, closes) })
    say(server.url.replacing("ws", with: "http", maxReplacements: 1))
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
      say("FAILED: the page has not come to its end within a minute")
      exit(1)
    }
    withExtendedLifetime(server) { dispatchMain() }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static let decide: WebSocketAdmission.Decide = { request in
    switch request.path {
    case "/refused": .refuse(status: 401)
    case "/foreign":
      request.headers["Origin"] == "https://elsewhere.example" ? .accept() : .refuse(status: 403)
    default: .accept()
    }
  }

  private static func treat(_ socket: WebSocket, _ closes: Locked<[String]>) {
    switch socket.request?.path {
    case "/echo":
      _ = socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
    case "/fragments":
      // While the first waits, the others leave in fragments.
      for part in 1...4 { try? socket.send(String(repeating: "\(part)", count: 1 << 20)) }
    case "/close":
      let code = socket.request?.query.flatMap { UInt16($0) } ?? 1_000
      socket.close(code: CloseCode(rawValue: code), reason: "as \"asked\": ü")
    case "/told":
      _ = socket.events.subscribe(onNext: { event in
        guard case .disconnected(let code, let reason) = event else { return }
        closes.withLock { $0.append("\(code.rawValue) \(reason)") }
      })
    case "/alive":
      Task {
        // Longer than several pings take, and one is awaited.
        try await Task.sleep(for: .milliseconds(700))
        let roundTrip = try await socket.ping()
        try socket.send(roundTrip > .zero ? "alive" : "no time has passed")
      }
    default: break
    }
  }
}
