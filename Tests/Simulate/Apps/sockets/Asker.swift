import Reactive
import Sockets

/// A client that connects again: it asks, and sends what has one outcome each.
final class Asker: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private var socket: ReconnectingWebSocket
  /// Refuses what it cannot send now.
  private var strict: ReconnectingWebSocket
  private var isResuming = false
  private var questionCount = 0
  /// The questions without an answer or a failure.
  private(set) var open: Set<Int> = []
  private(set) var fault: String?
  private var random = RandomSource.system
  private let bag = DisposeBag()

  init() {
    socket = ReconnectingWebSocket(connect: { throw WebSocketError.connectionLost })
    strict = socket
    socket = makeSocket()
    strict = makeStrictSocket()
  }

  var areConnected: Bool {
    socket.state == .connected && strict.state == .connected && !isResuming
  }

  private var strategy: ReconnectionStrategy {
    .exponential(base: .milliseconds(250), cap: .seconds(4), maxAttempts: nil)
  }

  private func makeSocket() -> ReconnectingWebSocket {
    var configuration = ReconnectionConfiguration()
    configuration.shouldReconnect = { _ in true }
    configuration.backlog = .queue(limit: 20)
    let socket = ReconnectingWebSocket(
      connect: { [random] in
        let socket = WebSocket("ws://server:8080/ask")
        try await socket.connected()
        // It belongs to the program when it is greeted, and the user is known.
        _ = try await socket.messages.take(1).asSingle().value
        var random = random
        try await EffectContext.sleep(.milliseconds(Int.random(in: 0..<1_500, using: &random)))
        return socket
      },
      strategy: strategy, configuration: configuration)
    observeOutcomes(of: socket)
    socket.connect()
    return socket
  }

  private func makeStrictSocket() -> ReconnectingWebSocket {
    var configuration = ReconnectionConfiguration()
    configuration.shouldReconnect = { _ in true }
    configuration.backlog = .fail
    configuration.resume = { [weak self] _ in
      self?.isResuming = true
      defer { self?.isResuming = false }
      // It asks for what it has missed.
      try await EffectContext.sleep(.seconds(2))
    }
    let socket = ReconnectingWebSocket(
      connect: { WebSocket("ws://server:8080/sink") }, strategy: strategy,
      configuration: configuration)
    observeOutcomes(of: socket)
    socket.connect()
    return socket
  }

  /// The numbers of the messages that were taken, by the socket, and those with an outcome.
  private var taken: [ObjectIdentifier: Set<Int>] = [:]
  private var outcomes: [ObjectIdentifier: Set<Int>] = [:]

  private func observeOutcomes(of socket: ReconnectingWebSocket) {
    let id = ObjectIdentifier(socket)
    // A new object may have the address of an old one.
    (taken[id], outcomes[id]) = ([], [])
    socket.sendOutcomes
      .subscribe(
        onNext: { [weak self] outcome in
          if self?.outcomes[id]?.insert(outcome.number).inserted == false {
            self?.fault = "a message has one outcome"
          }
        },
        onCompleted: { [weak self] in
          guard let self, taken[id]?.isSubset(of: outcomes[id] ?? []) == false else { return }
          fault = "a message has an outcome"
        }
      )
      .disposed(by: bag)
  }

  private func send(by socket: ReconnectingWebSocket) {
    guard let number = try? socket.sendNumbered(.text("a message")) else { return }
    taken[ObjectIdentifier(socket), default: []].insert(number)
    if socket === strict, isResuming { fault = "nothing is taken while a connection is resumed" }
  }

  // MARK: What a user does

  /// - Parameter choice: what is done, below 12.
  func act(_ choice: Int) {
    switch choice {
    case 0:
      send(by: socket)
      socket.close()
      socket = makeSocket()
    case 1:
      send(by: strict)
      strict.close()
      strict = makeStrictSocket()
    case 2: socket.reconnectNow()
    case 3...5: send(by: socket)
    case 6...8: send(by: strict)
    default: ask(choice == 9 ? .resend : .fail)
    }
  }

  private func ask(_ whenLost: LostRequestPolicy) {
    questionCount += 1
    let id = questionCount
    open.insert(id)
    let answer: Single<Answer> = socket.request(
      Question(id: id), as: Answer.self, matching: \.id, whenLost: whenLost)
    answer.subscribe(
      onSuccess: { [weak self] in
        if $0.id != id { self?.fault = "an answer belongs to its question" }
        self?.end(id)
      }, onFailure: { [weak self] _ in self?.end(id) }
    )
    .disposed(by: bag)
  }

  private func end(_ id: Int) {
    if open.remove(id) == nil { fault = "a question ends once" }
  }
}
