import Dispatch
import Foundation
import Reactive
import Sockets

/// A `WebSocketServer` that echoes its messages, on the event loop of the process.
@MainActor
final class EchoServer {
  private let server: WebSocketServer
  private let bag = DisposeBag()

  var url: String { server.url }
  var port: UInt16 { server.port }

  /// - Parameters:
  ///   - identity: what makes it a server of `wss`.
  ///   - onEnd: called on the event loop when a connection has ended.
  init(identity: TLSIdentity? = nil, onEnd: @escaping @Sendable () -> Void = {}) {
    do { server = try WebSocketServer(identity: identity) } catch {
      fatalError("No server: \(error)")
    }
    // The subscription ends with the connection.
    server.connections
      .subscribe(onNext: { socket in
        _ = socket.messages.subscribe(
          onNext: { [unowned socket] in socket.deliver($0) }, onDisposed: onEnd)
      })
      .disposed(by: bag)
  }

  /// The second process: prints its URL, and serves until its standard input ends.
  static func serve() {
    Interrupt.ignore()
    FileLimit.raise()
    let server = EchoServer()
    print(server.url)
    fflush(nil)
    while readLine() != nil {}
    withExtendedLifetime(server) {}
  }
}

/// An echo server in a process of its own, which ends with this object or with this process.
@MainActor
final class EchoProcess {
  let url: String
  private let process = Process()
  private let input = Pipe()

  init() {
    let output = Pipe()
    process.executableURL = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    process.arguments = ["--serve-echo"]
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { fatalError("No second process: \(error)") }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    url = line.trimmingCharacters(in: .whitespacesAndNewlines)
    require(url.hasPrefix("ws://"), "The second process printed \(line)")
  }

  isolated deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The CPU time it took so far, in nanoseconds; 0 where the system does not report it.
  var cpuNanoseconds: Double {
    #if os(Linux)
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process.processIdentifier, &clock) == 0,
      clock_gettime(clock, &time) == 0
    else { return 0 }
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    #else
    return 0
    #endif
  }
}

/// The limit of open files of the process.
enum FileLimit {
  /// Raises the limit to the system's maximum.
  static func raise() {
    var limit = rlimit()
    #if canImport(Glibc)
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let files = RLIMIT_NOFILE
    #endif
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(files, &limit)
  }
}

extension WebSocket {
  /// Sends, or stops the benchmark when the connection is lost.
  func deliver(_ message: WebSocketMessage) {
    do { try send(message) } catch { fatalError("Not sent: \(error)") }
  }

  /// A client, once it is connected.
  static func connected(
    to url: String,
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    let client = WebSocket.connect(to: url, configuration: configuration)
    let connected = DispatchSemaphore(value: 0)
    let subscription = client.states
      .subscribe(onNext: { if $0 == .connected { connected.signal() } })
    connected.waitOrStop("No connection.")
    subscription.dispose()
    return client
  }
}

extension DispatchSemaphore {
  /// Waits, and fails after a time limit.
  func waitOrStop(_ problem: String) {
    require(wait(timeout: .now() + 60) == .success, problem)
  }
}
