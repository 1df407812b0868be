import Foundation
import Sockets

/// The side of this package where it meets others.
///
///     interop-peer serve [PAGE] [CERTIFICATE KEY]
///     interop-peer talk URL [--proxy URL] [--authority FILE]
///
/// `serve` prints its URL. A page's script checks in a browser what the server does, and posts its verdicts, which
/// are printed; it exits with 0 when all of them are good, and with 1 when one is not. Without a page it serves until
/// its input ends.
///
/// `talk` sends messages to a server that echoes, pings it and closes. It exits with 0 when all is as it should be;
/// otherwise it prints the error and exits with 1.
@main
enum Peer {
  static func main() async throws {
    var words = Array(CommandLine.arguments.dropFirst())
    switch words.isEmpty ? "" : words.removeFirst() {
    case "serve" where words.count <= 3: try serve(words)
    case "talk" where words.count % 2 == 1: await talk(words)
    default:
      FileHandle.standardError.write(
        Data(
          """
          usage: interop-peer serve [PAGE] [CERTIFICATE KEY]
                 interop-peer talk URL [--proxy URL] [--authority FILE]

          """.utf8))
      exit(2)
    }
  }

  // MARK: A server

  private static func serve(_ words: [String]) throws {
    var words = words
    let page = words.count % 2 == 1 ? try Data(contentsOf: URL(filePath: words.removeFirst())) : nil
    var identity: TLSIdentity?
    if words.count == 2 {
      identity = TLSIdentity(
        certificateChain: try PEM(contentsOfFile: words[0]),
        privateKey: try PEM(contentsOfFile: words[1])
      )
    }
    var configuration = WebSocketConfiguration(subprotocols: ["chat.v2", "chat.v1"])
    configuration.compression = .deflate()
    // Browsers answer pings, and tell nobody.
    configuration.keepalive = .init(interval: .seconds(1), timeout: .seconds(1))
    var admission = WebSocketAdmission()
    admission.decide = decide
    admission.proxies = TrustedProxies(["127.0.0.1"], header: .xForwardedFor)
    let closes = Locked<[String]>([])
    let server = try WebSocketServer(
      identity: identity, configuration: configuration, admission: admission, loops: 2
    ) { request in
      switch (request.method, request.path) {
      case ("GET", "/") where page != nil:
        let headers: HTTPHeaders = ["Content-Type": "text/html; charset=utf-8"]
        return HTTPResponse(headers: headers, body: page ?? Data())
      case ("GET", "/address"): return .text(request.clientAddress?.host ?? "none")
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
    guard page != nil else {
      while readLine() != nil {}
      return withExtendedLifetime(server) {}
    }
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
        // The keepalive pings meanwhile, and one ping is awaited.
        try await Task.sleep(for: .milliseconds(2_500))
        let roundTrip = try await socket.ping()
        try socket.send(roundTrip > .zero ? "alive" : "no time has passed")
      }
    default: break
    }
  }

  // MARK: A client

  private static func talk(_ words: [String]) async {
    do {
      var configuration = WebSocketConfiguration(subprotocols: ["chat.v2", "chat.v1"])
      configuration.compression = .deflate()
      for index in stride(from: 1, to: words.count, by: 2) {
        switch words[index] {
        case "--proxy": configuration.proxy = .http(words[index + 1])
        default: configuration.tls.authorities = .only(try PEM(contentsOfFile: words[index + 1]))
        }
      }
      let socket = WebSocket(words[0], configuration: configuration)
      try await socket.connected()
      var noise = [UInt8](repeating: 0, count: 1 << 20)
      for index in noise.indices { noise[index] = .random(in: 0...255) }
      let messages: [WebSocketMessage] = [
        .text("hello"), .text(""), .text("grüße 🎉"), .binary(Data()), .binary(Data([0, 255])),
        .binary(Data(noise)), .text(String(repeating: "ü", count: 1 << 19)),
      ]
      for message in messages {
        try socket.send(message)
        guard try await socket.receive() == message else {
          throw Failure("a message of \(message.data.count) bytes came back as another one")
        }
      }
      for number in 0..<1_000 { try socket.send("\(number)") }
      for number in 0..<1_000 {
        guard try await socket.receive() == .text("\(number)") else { throw Failure("wrong order") }
      }
      _ = try await socket.ping()
      // As long as proxies wait that end idle connections: those of our server are never idle.
      try await Task.sleep(for: .seconds(3))
      try socket.send("still there")
      guard try await socket.receive() == .text("still there") else { throw Failure("not there") }
      let chosen = "\(socket.subprotocol ?? "none"), \(socket.extensions)"
      let events = socket.events
      socket.close(code: 4_001, reason: "bye")
      for try await event in events.values {
        if case .error(let error) = event { throw error }
        if case .disconnected(let code, _) = event {
          // aiohttp answers with a code of its own (RFC 6455, 5.5.1: it should be the same one).
          guard [4_001, 1_000].contains(code.rawValue) else {
            throw Failure("closed with \(code.rawValue)")
          }
        }
      }
      say("ok: \(words[0]): \(chosen)")
    } catch {
      say("FAILED: \(words[0]): \(error)")
      exit(1)
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
