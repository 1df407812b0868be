import Foundation
import Sockets

/// The program under test of the Autobahn testsuite: an echo client or server.
///
///     autobahn-testee client ws://127.0.0.1:9001 AGENT
///     autobahn-testee server PORT
///
/// The client runs every case of the suite's fuzzing server, one connection each, and requests the
/// report. The server prints its URL and echoes until it is killed.
@main
enum Testee {
  /// The suite requests compression in its tests of it, and then expects it in every message.
  private static var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate(threshold: 0)
    return configuration
  }

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    switch (words.first, words.count) {
    case ("client", 3): try await runCases(of: words[2], as: words[3])
    case ("server", 2): try await serve(on: UInt16(words[2]) ?? 0)
    default:
      FileHandle.standardError.write(
        Data("usage: autobahn-testee client URL AGENT | server PORT\n".utf8)
      )
      exit(64)
    }
  }

  // MARK: The client

  private static func runCases(of server: String, as agent: String) async throws {
    var count = 0
    for try await message in WebSocket.connect(to: server + "/getCaseCount").messages.values {
      count = message.text.flatMap { Int($0) } ?? 0
    }
    for number in 1...max(count, 1) {
      await echo(server + "/runCase?case=\(number)&agent=\(agent)")
    }
    let reporting = WebSocket.connect(to: server + "/updateReports?agent=\(agent)")
    for try await _ in reporting.events.values {}
  }

  /// Echoes every message of one connection; returns after its end, whatever the cause.
  private static func echo(_ url: String) async {
    let socket = WebSocket(url, configuration: configuration)
    let echoing = echo(socket)
    let events = socket.events.values
    socket.connect()
    do { for try await _ in events {} } catch {}
    echoing.dispose()
  }

  // MARK: The server

  private static func serve(on port: UInt16) async throws {
    let server = try WebSocketServer(port: port, configuration: configuration)
    // Not `print`, which buffers output to a pipe.
    FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
    for try await _ in server.connections.do(onNext: { _ = echo($0) }).values {}
  }

  // MARK: Both

  private static func echo(_ socket: WebSocket) -> any Disposable {
    // On the event loop: the echo is sent before the next frame is processed.
    socket.messages.subscribe(onNext: { [weak socket] in try? socket?.send($0) }, onError: { _ in })
  }
}
