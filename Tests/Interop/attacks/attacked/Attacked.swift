import Foundation
import Sockets

#if canImport(Glibc)
import Glibc
#endif

/// The target of the attacks: a server whose paths treat messages differently, or a client.
///
/// Both answer each line of the standard input with a line of JSON that lists the resources of the process, and
/// end with the input.
///
///     attacked serve [CERTIFICATE KEY]
///     attacked connect URL [--paused]
///
/// The first line of output is the server's port.
@main
enum Attacked {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "serve": try serve(words.dropFirst().map { $0 })
    case "connect" where words.count > 1: connect(words[1], isPaused: words.last == "--paused")
    default:
      FileHandle.standardError.write(
        Data("usage: attacked serve [CERTIFICATE KEY] | attacked connect URL [--paused]\n".utf8))
      exit(2)
    }
  }

  /// Short limits, so that an attack ends soon; the resources that an attack can hold are the same.
  private static var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = .init(interval: .seconds(2), timeout: .seconds(2))
    configuration.writeTimeout = .seconds(3)
    configuration.handshakeTimeout = .seconds(3)
    configuration.compression = .deflate()
    return configuration
  }

  private static func serve(_ files: [String]) throws {
    var identity: TLSIdentity?
    if files.count == 2 {
      identity = TLSIdentity(
        certificateChain: try PEM(contentsOfFile: files[0]),
        privateKey: try PEM(contentsOfFile: files[1])
      )
    }
    var admission = WebSocketAdmission()
    admission.connectionLimit = 130
    let server = try WebSocketServer(
      host: "", identity: identity, configuration: configuration, admission: admission,
      onRequest: answer)
    let broadcaster = Broadcaster(server)
    let open = BehaviorRelay(value: 0)
    _ = server.connections.subscribe(onNext: { socket in
      open.accept(open.value + 1)
      _ = socket.states.subscribe(onCompleted: { open.accept(open.value - 1) })
      treat(socket)
    })
    // Dispatch and the concurrency runtime open their descriptors before the first count.
    Task { try? await Task.sleep(for: .milliseconds(1)) }
    broadcaster.start()
    usleep(200_000)
    broadcaster.stop()
    say("\(server.port)")
    answerLines { command in
      if command == "broadcast" { broadcaster.start() }
      if command == "quiet" { broadcaster.stop() }
      return "\"open\": \(open.value)"
    }
  }

  /// The answer of a path to plain requests.
  private static func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    switch request.path {
    case "/health": return .text("ok\n")
    case "/body": return HTTPResponse(body: request.body)
    case "/large": return HTTPResponse(body: Data(repeating: 0x61, count: 8 << 20))
    case "/later":
      try await Task.sleep(for: .milliseconds(50))
      return .text("later\n")
    case "/fails": throw CancellationError()
    default: return .text("\(request.method) \(request.path) is not here\n", status: 404)
    }
  }

  /// The reaction of a path to messages.
  private static func treat(_ socket: WebSocket) {
    switch socket.request?.path {
    case "/echo":
      _ = socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
    case "/task":
      Task {
        let values = socket.values
        for try await message in values { try await socket.sendWhenWritable(message) }
      }
    case "/keep":
      let kept = BehaviorRelay<[WebSocketMessage]>(value: [])
      _ = socket.messages.subscribe(
        onNext: { kept.accept(kept.value + [$0]) },
        onError: { _ in kept.accept([]) },
        onCompleted: { kept.accept([]) }
      )
    case "/count": _ = socket.messages.subscribe(onNext: { _ in }, onError: { _ in })
    // Connections without observers.
    default: break
    }
  }

  private static func connect(_ url: String, isPaused: Bool) {
    let socket = WebSocket.connect(to: url, configuration: configuration)
    let values = isPaused ? socket.values : nil
    if !isPaused { _ = socket.messages.subscribe(onNext: { _ in }, onError: { _ in }) }
    let last = BehaviorRelay(value: "")
    _ = socket.events.subscribe(onNext: { event in
      if case .error(let error) = event { last.accept("\(error)") }
    })
    withExtendedLifetime(values) {
      answerLines { _ in "\"state\": \"\(socket.state)\", \"error\": \"\(last.value)\"" }
    }
  }

  // MARK: Answers

  private static func answerLines(_ answer: (String) -> String) {
    while let line = readLine() {
      say("{\(answer(line)), \"fds\": \(descriptors), \"rss\": \(residentBytes)}")
    }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }

  private static var residentBytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? -1) * 4_096
  }
}

/// Sends a message to all clients of `/silent`, ten times a second.
private final class Broadcaster: Sendable {
  private let server: WebSocketServer
  private let running = SerialDisposable()

  init(_ server: WebSocketServer) { self.server = server }

  func start() {
    let message = WebSocketMessage.binary(Data(count: 256 << 10))
    let ticks = Observable<Int>.interval(
      .milliseconds(100), scheduler: SerialDispatchQueueScheduler(qos: .default))
    running.disposable = ticks.subscribe(onNext: { [server] _ in
      server.broadcast(message) { $0.request?.path == "/silent" }
    })
  }

  func stop() { running.disposable = Disposables.create() }
}
