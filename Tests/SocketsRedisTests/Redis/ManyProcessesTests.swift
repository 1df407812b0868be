import Foundation
import TestSupport
import Testing

/// Three processes with a thousand sockets each, and a real Redis between them.
@Suite("Three processes", .workerPool(limit: 300), .enabled(if: RedisServer.isInstalled))
struct ManyProcessesTests {
  #if SANITIZED
  private static let sockets = 50
  #else
  private static let sockets = 1_000
  #endif

  /// A process with a room; it answers each command with a line.
  private final class Room {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var text = ""

    init(_ redis: RedisServer, _ options: String...) throws {
      // The program is in the folder of the test program.
      let tests = try #require(Bundle.main.executableURL)
      process.executableURL = tests.deletingLastPathComponent().appending(path: "room-process")
      process.arguments = [redis.url, "\(ManyProcessesTests.sockets)"] + options
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    deinit {
      // Not SIGTERM, which the threads of tests block, and with them the processes that they start.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      if process.isRunning { process.waitUntilExit() }
    }

    func send(_ command: String) {
      input.fileHandleForWriting.write(Data("\(command)\n".utf8))
    }

    /// The next line of the process, which blocks until it is written.
    func line() -> String {
      while true {
        if let end = text.firstIndex(of: "\n") {
          defer { text = String(text[text.index(after: end)...]) }
          return String(text[..<end])
        }
        let bytes = output.fileHandleForReading.availableData
        if bytes.isEmpty { return "the process has ended" }
        text += String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  /// Three processes that know of all sockets.
  private func rooms(_ redis: RedisServer, _ options: String...) throws -> [Room] {
    let rooms = try (0..<3).map { _ in
      options.isEmpty ? try Room(redis) : try Room(redis, options[0])
    }
    for room in rooms { #expect(room.line() == "ready") }
    order(rooms, "connected")
    order(rooms, "presence \(3 * Self.sockets)")
    return rooms
  }

  /// Lets all processes perform a command at the same time, and waits for their answers.
  private func order(_ rooms: [Room], _ command: (Int) -> String) {
    for (number, room) in rooms.enumerated() { room.send(command(number)) }
    for (number, room) in rooms.enumerated() { #expect(room.line() == command(number)) }
  }

  private func order(_ rooms: [Room], _ command: String) { order(rooms) { _ in command } }

  /// Lets each process publish, and expects that all clients of all processes receive it.
  private func everybodyHears(_ rooms: [Room], _ name: String, _ count: Int = 20) {
    order(rooms) { "publish \(name)\($0) \(count)" }
    for number in rooms.indices { order(rooms, "expect \(name)\(number) \(count)") }
  }

  @Test func `3,000 sockets of three processes hear each other, before and after faults of Redis`()
    throws
  {
    let redis = try RedisServer()
    let rooms = try rooms(redis)
    everybodyHears(rooms, "first")
    // Killed: each process goes on by itself.
    redis.stop()
    order(rooms, "disconnected")
    order(rooms) { "publish alone\($0) 5" }
    order(rooms) { "expect alone\($0) 5" }
    try redis.start()
    order(rooms, "connected")
    everybodyHears(rooms, "restarted")
    // Stopped: it is noticed by its silence.
    redis.pause()
    order(rooms, "disconnected")
    order(rooms) { "publish paused\($0) 5" }
    order(rooms) { "expect paused\($0) 5" }
    redis.resume()
    order(rooms, "connected")
    everybodyHears(rooms, "resumed")
  }

  @Test func `with streams 3,000 sockets miss nothing while Redis is killed and stopped`() throws {
    let redis = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
    let rooms = try rooms(redis, "stream")
    everybodyHears(rooms, "first")
    redis.stop()
    order(rooms, "disconnected")
    order(rooms) { "publish killed\($0) 20" }
    try redis.start()
    for number in rooms.indices { order(rooms, "expect killed\(number) 20") }
    redis.pause()
    order(rooms) { "publish paused\($0) 20" }
    order(rooms, "disconnected")
    redis.resume()
    for number in rooms.indices { order(rooms, "expect paused\(number) 20") }
    everybodyHears(rooms, "last")
  }
}
