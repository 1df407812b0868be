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
      process.terminate()
      process.waitUntilExit()
    }
  }

  /// A person in room 7 at a server.
  private final class Person: Sendable {
    private typealias Chat = Composed<ChatState, ChatAction>
    let heard = Watched<[String]>([])
    private let isIn = Watched(false)
    private let chat: Chat
    private let bag = DisposeBag()

    init(_ name: String, at server: ServerProcess) {
      chat = Chat(sending: ChatComposer(.live(server.url)))
      chat.states.subscribe(onNext: { [heard, isIn] state in
        heard.update { $0 = state.heard.map { "\($0.from): \($0.text)" } }
        isIn.update { $0 = state.isIn(7) }
      }).disposed(by: bag)
      chat.send(.login(name))
      chat.send(.join(7))
    }

    func waitUntilIn() async { await isIn.wait { $0 } }

    func say(_ text: String) { chat.send(.say(text, room: 7)) }
  }

  @Test func `what is said at one server is heard at the other`() async throws {
    let redis = try RedisServer()
    let (first, second) = (try ServerProcess(redis), try ServerProcess(redis))
    let (ann, bob) = (Person("ann", at: first), Person("bob", at: second))
    for person in [ann, bob] { await person.waitUntilIn() }
    // Redis may confirm a subscription later than the server confirms it to its client.
    for (speaker, listener, name) in [(ann, bob, "ann"), (bob, ann, "bob")] {
      var number = 0
      while listener.heard.value.isEmpty {
        number += 1
        speaker.say("hello \(number)")
        await EventLoop.shared.settle()
      }
      speaker.say("well?")
      await listener.heard.wait { $0.last == "\(name): well?" }
    }
    // Both hear each line once, in its order.
    for number in 0..<50 {
      ann.say("\(number)")
      bob.say("\(number)")
    }
    for (listener, name) in [(bob, "ann"), (ann, "bob")] {
      await listener.heard.wait { $0.last == "\(name): 49" }
      #expect(listener.heard.value.suffix(50) == (0..<50).map { "\(name): \($0)" })
    }
  }
}
