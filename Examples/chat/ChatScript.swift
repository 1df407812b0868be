import ActionCable

/// The steps of two people in a chat; each step waits for the result of the previous one.
struct ChatScript: Sendable {
  var url: String
  /// Ends all connections, as a restart of the server does; nil when the server is not ours.
  var restart: (@Sendable () -> Void)?
  let print: @Sendable (String) -> Void

  private typealias Person = Composed<ChatState, ChatAction>

  /// - Throws: `RxError.timeout`, when a step takes longer than 20 seconds.
  func run() async throws {
    let world = ChatWorld.live(url)
    let ann = Composed(sending: ChatComposer(world))
    let bob = Composed(sending: ChatComposer(world))
    let both = [ann, bob]

    step("ann and bob log in, and join room 7")
    for (person, name) in zip(both, ["ann", "bob"]) {
      person.send(.login(name))
      person.send(.join(7))
    }
    for person in both {
      let state = try await wait(person) { $0.isIn(7) && $0.connection == .connected }
      report(state, "is in room 7")
    }

    step("they chat")
    ann.send(.say("hello bob", room: 7))
    try await reportLast(bob, 1)
    bob.send(.say("hello ann, all well?", room: 7))
    try await reportLast(ann, 1)

    if let restart {
      step("the server restarts, and both apps become active")
      restart()
      for person in both {
        let lost = try await wait(person) { $0.connection == .waitingToReconnect }
        report(lost, "waits for a connection")
        person.send(.woke)
        let state = try await wait(person) { $0.isIn(7) && $0.connection == .connected }
        report(state, "is back in room 7")
      }
      ann.send(.say("still there?", room: 7))
      try await reportLast(bob, 2)
    }

    step("bob leaves the room, and ann says something there")
    bob.send(.leave(7))
    let count = bob.state.heard.count
    ann.send(.say("anybody?", room: 7))
    ann.send(.leave(7))
    ann.send(.join(8))
    report(try await wait(ann) { $0.isIn(8) }, "is in room 8")
    report(bob.state, "receives nothing more: \(bob.state.heard.count == count)")

    step("both log out")
    for person in both {
      let name = person.state.user ?? ""
      person.send(.logout)
      print("  \(name) has received \(person.state.heard.count), problems \(person.state.problems)")
    }
  }

  private func step(_ title: String) { print(title) }

  private func report(_ state: ChatState, _ what: String) { print("  \(state.user ?? "") \(what)") }

  private func reportLast(_ person: Person, _ count: Int) async throws {
    let state = try await wait(person) { $0.heard.count == count }
    for line in state.heard.suffix(1) { report(state, "receives from \(line.from): \(line.text)") }
  }

  private func wait(
    _ person: Person,
    until isReached: @escaping @Sendable (ChatState) -> Bool
  ) async throws -> ChatState {
    try await person.states.filter(isReached).take(1)
      .timeout(.seconds(20), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
      .asSingle().value
  }
}
