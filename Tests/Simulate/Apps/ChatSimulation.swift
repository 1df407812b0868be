import ActionCable
import ReactiveTesting

extension SimulatedApp {
  /// Four people in a room of a chat, each of whom hears a line of another one once at most, and in its order
  /// while one connection lasts.
  static let chat = SimulatedApp(name: "chat", duration: .seconds(300)) { world in
    world.machine("server") { _ in try ChatServer.make(host: "", port: 8080) }
    let people = ["ann", "bob", "cid", "dee"].map { name in
      world.machine(name) { ChatPerson($0) }
    }
    for person in people {
      world.every(.seconds(1)...(.seconds(10))) { _ in person.perform { $0.say() } }
    }
    world.everyFault()
    world.always("lines are heard once") { people.allSatisfy { $0.hasHeardOnce ?? true } }
    world.eventually("all are in the room", within: .seconds(60), afterFaultsStop: true) {
      people.allSatisfy { $0.isInRoom ?? false }
    }
  }
}

/// The program of a person, who is logged in and in room 7.
final class ChatPerson {
  let chat: Composed<ChatState, ChatAction>
  private let name: String
  /// How often the program has started, which it says in each line.
  private let starts: Int
  private var lineCount = 0
  private var heard: Set<String> = []
  private var checkedCount = 0

  init(_ host: HostContext) {
    (name, starts) = (host.name, host.starts)
    chat = Composed(sending: ChatComposer(.live("ws://server:8080/cable")), on: .main)
    chat.send(.login(name))
    chat.send(.join(7))
  }

  func say() {
    lineCount += 1
    chat.send(.say("\(starts) \(lineCount)", room: 7))
  }

  private func isNew(_ line: ChatLine) -> Bool {
    heard.insert("\(line.from) \(line.text)").inserted
  }

  var isInRoom: Bool { chat.state.isIn(7) && chat.state.connection == .connected }

  /// Whether each line was heard at most once, and none of one's own.
  ///
  /// Asked after each job, it looks at the new lines alone.
  var hasHeardOnce: Bool {
    let lines = chat.state.heard
    for line in lines[checkedCount...] where line.from == name || !isNew(line) { return false }
    checkedCount = lines.count
    return true
  }
}
