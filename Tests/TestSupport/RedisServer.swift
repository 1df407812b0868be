import Foundation
import Sockets

/// A Redis of this test, on a port of its own; it keeps its data between `stop` and `start`.
package final class RedisServer: @unchecked Sendable {
  // Used by one test, one call at a time.
  private var process: Process?
  private let folder: URL
  private let options: [String]
  package let port: UInt16

  /// The server's program; nil when it is not installed.
  private static let program = ["redis-server", "valkey-server"].flatMap { name in
    ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { URL(filePath: $0 + name) }
  }.first { FileManager.default.isExecutableFile(atPath: $0.path) }

  /// Whether tests with a Redis can run on this machine.
  package static var isInstalled: Bool { program != nil }

  /// Starts a Redis.
  ///
  /// - Parameter options: options of the command line, such as `--requirepass`
  package init(_ options: String...) throws {
    self.options = options
    // The system does not give the port to another program soon after.
    let listener = try WebSocketServer()
    port = listener.port
    listener.close()
    folder = FileManager.default.temporaryDirectory.appending(path: "redis-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: folder)
  }

  package var url: String { "redis://127.0.0.1:\(port)" }

  /// Starts it again; it accepts connections soon.
  package func start() throws {
    let process = Process()
    process.executableURL = Self.program
    process.currentDirectoryURL = folder
    process.arguments =
      ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--daemonize", "no"] + options
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  /// Ends it without a warning.
  package func stop() {
    guard let process else { return }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops it: it accepts connections, because the system does, and answers nothing.
  package func pause() { signal(SIGSTOP) }

  package func resume() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    if let process, process.isRunning { kill(process.processIdentifier, number) }
  }

  /// Runs a command by `redis-cli`, and returns what it prints.
  @discardableResult
  package func command(_ words: String...) throws -> String { try command(words) }

  /// Runs a command by `redis-cli`, and returns what it prints.
  package func command(_ words: [some StringProtocol]) throws -> String {
    let client = URL(filePath: "/usr/bin/env")
    let arguments = ["redis-cli", "-p", "\(port)"] + words.map { String($0) }
    return try printed(by: client, arguments).text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
