import Foundation
import ActionCable
import TestSupport
import Testing

@testable import chat

/// Two processes of the chat with a real Redis between them.
@Suite("Two chat servers", .workerPool, .enabled(if: RedisServer.isInstalled))
struct ChatServersTests {
  /// A process `chat --serve`.
  private final class ServerProcess: Sendable {
    let url: String
    private let process = Process()

    init(_ redis: RedisServer) throws {
      // The program is in the folder of the test program.
      let tests = try #require(Bundle.main.executableURL)
      process.executableURL = tests.deletingLastPathComponent().appending(path: "chat")
      process.arguments = ["--serve", "--redis", redis.url]
      let output = Pipe()
      process.standardOutput = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      // The first line, of which a part may come first.
      var text = ""
      while !text.contains("\n") {
        let bytes = output.fileHandleForReading.availableData
        if bytes.isEmpty { break }
        text += String(decoding: bytes, as: UTF8.self)
      }
      url = try #require(text.firstMatch(of: /serving (\S+)\n/)).output.1.description
    }

    deinit {
      // Not SIGTERM, which the threads of tests block, and with them the processes that they start.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      if process.isRunning { process.waitUntilExit() }
    }
  }

  /// A person in room 7 at a server.
  private final class Person: Sendable {
    let name: String
    let heard = Watched<[String]>([])
    private let isIn = Watched(false)
    private let cable: CableClient
    private let room: CableChannel
    private let bag = DisposeBag()

    init(_ name: String, at server: ServerProcess) {
      self.name = name
      cable = CableClient("\(server.url)?token=user-\(name)")
      room = cable.channel("ChatChannel", ["chat_id": 7])
      room.messages.subscribe(onNext: { [heard] line in
        let (name, text) = (line["from"]?.string ?? "", line["text"]?.string ?? "")
        heard.update { $0.append("\(name): \(text)") }
      }).disposed(by: bag)
      room.states.subscribe(onNext: { [isIn] state in isIn.update { $0 = state == .subscribed } })
        .disposed(by: bag)
      cable.connect()
    }

    func waitUntilIn() async { await isIn.wait { $0 } }

    func say(_ text: String) throws {
      #expect(try room.perform("say", ["text": .string(text)]) == .sent)
    }
  }

  @Test func `what is said at one server is heard at the other`() async throws {
    let redis = try RedisServer()
    let (first, second) = (try ServerProcess(redis), try ServerProcess(redis))
    let (ann, bob) = (Person("ann", at: first), Person("bob", at: second))
    for person in [ann, bob] { await person.waitUntilIn() }
    // Redis may confirm a subscription later than the server confirms it to its client.
    for (speaker, listener) in [(ann, bob), (bob, ann)] {
      var number = 0
      while !listener.heard.value.contains(where: { $0.hasPrefix(speaker.name) }) {
        number += 1
        try speaker.say("hello \(number)")
        await speaker.heard.wait { [number] in $0.last == "\(speaker.name): hello \(number)" }
      }
    }
    // Both hear all lines once, those of one person in their order.
    for number in 0..<200 {
      try ann.say("\(number)")
      try bob.say("\(number)")
    }
    for speaker in [ann, bob] {
      for listener in [ann, bob] {
        await listener.heard.wait { $0.contains("\(speaker.name): 199") }
        let lines = listener.heard.value.filter {
          $0.hasPrefix(speaker.name) && !$0.contains("hello")
        }
        #expect(lines == (0..<200).map { "\(speaker.name): \($0)" })
      }
    }
  }
}
