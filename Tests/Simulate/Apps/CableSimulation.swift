import ActionCable
import Reactive
import ReactiveTesting
import Sockets

extension SimulatedApp {
  /// Four clients of a cable server that misbehaves as Rails does: every call is performed once or reported.
  static let cable = SimulatedApp(name: "cable", duration: .seconds(200)) { world in
    let calls = PerformedCalls()
    let isQuiet = Noted(false)
    world.machine("server") { _ in try UnreliableCableServer(port: 8080, calls) }
    let callers = (1...4).map { number in
      // The user of the last one connects again.
      world.machine("caller \(number)") { CableCaller($0, reconnects: number < 4) }
    }
    for caller in callers {
      world.every(.milliseconds(200)...(.seconds(5))) { random in
        let choice = Int.random(in: 0..<20, using: &random)
        // When nothing is broken any more, all want to be subscribed.
        caller.perform { [isQuiet = isQuiet.value] in isQuiet ? $0.subscribe() : $0.act(choice) }
      }
    }
    world.everyFault()
    world.always("a call has one outcome") {
      callers.allSatisfy { $0.hasOneOutcomeForEach ?? true }
    }
    world.always("a call that was never written is not performed") {
      callers.allSatisfy { caller in
        caller.neverWritten?.isDisjoint(with: calls.performed) ?? true
      }
    }
    world.always("a channel that is unsubscribed receives nothing") {
      callers.allSatisfy { $0.hasReceivedNothingUnsubscribed ?? true }
    }
    world.eventually("all are subscribed", within: .seconds(300), afterFaultsStop: true) {
      isQuiet.value = true
      return callers.allSatisfy { $0.isSubscribed ?? false }
    }
    world.eventually(
      "each call is performed or reported", within: .seconds(120), afterFaultsStop: true
    ) {
      callers.allSatisfy { $0.program?.hasOutcomes(calls.performed) ?? false }
    }
  }
}

/// The calls that the server has performed, whatever becomes of it.
final class PerformedCalls: Sendable {
  private let calls = Locked<Set<String>>([])
  var performed: Set<String> { calls.withLock { $0 } }

  func add(_ call: String) { calls.withLock { _ = $0.insert(call) } }
}

/// A client that subscribes and unsubscribes, and numbers its calls.
final class CableCaller: Sendable {
  private struct Calls {
    var count = 0
    /// Each call that was taken, with the number of its failures.
    var failures: [String: Int] = [:]
    /// The calls that wait for the subscription.
    var waiting: Set<String> = []
    /// The calls whose outcomes are asked for.
    var asked: Set<String>?
    var neverWritten: Set<String> = []
    var hasReceivedNothingUnsubscribed = true
  }

  private let cable: CableClient
  private let channel: CableChannel
  private let name: String
  private let calls = Locked(Calls())
  private let bag = DisposeBag()

  init(_ host: HostContext, reconnects: Bool) {
    var configuration = CableConfiguration()
    configuration.reconnects = reconnects
    cable = CableClient("ws://server:8080/cable", configuration: configuration)
    name = "\(host.name), start \(host.starts)"
    channel = cable.channel(
      "RoomChannel", ["id": 1], options: CableChannelOptions(buffering: .buffer(limit: 5)))
    channel.events.subscribe(onNext: { [weak self] in self?.note($0) }).disposed(by: bag)
    cable.connect()
  }

  private func note(_ event: CableChannelEvent) {
    switch event {
    case .message:
      if channel.state == .unsubscribed {
        calls.withLock { $0.hasReceivedNothingUnsubscribed = false }
      }
    case .performFailed(let call, let error):
      let id = call.data["id"]?.string ?? ""
      calls.withLock { calls in
        // One that was not taken has had its outcome.
        calls.failures[id, default: 10] += 1
        if error == .neverWritten { calls.neverWritten.insert(id) }
      }
    case .subscribed: calls.withLock { $0.waiting = [] }
    case .unsubscribed, .rejected, .timedOut, .disconnected: break
    }
  }

  /// Does what an app does.
  ///
  /// - Parameter choice: what is done, below 20.
  func act(_ choice: Int) {
    switch choice {
    case 0: channel.unsubscribe()
    case 1: cable.reconnectNow()
    case 2...4: subscribe()
    default: perform()
    }
  }

  private func perform() {
    let count = calls.withLock { calls in
      calls.count += 1
      return calls.count
    }
    let id = "\(name), call \(count)"
    // Its failure may be reported before the call returns.
    calls.withLock { $0.failures[id] = 0 }
    do {
      let result = try channel.perform("say", ["id": .string(id)])
      if result == .buffered { calls.withLock { _ = $0.waiting.insert(id) } }
    } catch {
      // It was not taken, which is its outcome: it must have no other one.
      calls.withLock {
        if $0.failures[id] == 0 { $0.failures[id] = nil } else { $0.failures[id] = 10 }
      }
    }
  }

  func subscribe() {
    channel.subscribe()
    if case .disconnected = cable.state { cable.connect() }
  }

  /// Whether each call made until this was asked first is performed, or was reported as failed, or waits for the
  /// user to connect again.
  func hasOutcomes(_ performed: Set<String>) -> Bool {
    let isDisconnected = if case .disconnected = cable.state { true } else { false }
    return calls.withLock { calls in
      let asked = calls.asked ?? Set(calls.failures.keys)
      calls.asked = asked
      return asked.allSatisfy { call in
        performed.contains(call) || calls.failures[call, default: 0] > 0
          || isDisconnected && calls.waiting.contains(call)
      }
    }
  }

  var hasOneOutcomeForEach: Bool { calls.withLock { $0.failures.values.allSatisfy { $0 <= 1 } } }

  var neverWritten: Set<String> { calls.withLock { $0.neverWritten } }

  var hasReceivedNothingUnsubscribed: Bool { calls.withLock { $0.hasReceivedNothingUnsubscribed } }

  /// Whether it is subscribed; it subscribes again after a rejection.
  var isSubscribed: Bool { channel.state == .subscribed }
}

/// A cable server with the habits of Rails under load: it answers late and out of order, answers no second subscription,
/// forgets a welcome or a subscription, performs commands in any order, rejects, goes on sending to a channel that has
/// unsubscribed, and restarts.
final class UnreliableCableServer: Sendable {
  private struct Client {
    let socket: WebSocket
    var subscribed: Set<String> = []
    /// Whether it was welcomed, and receives pings.
    var isWelcomed = false
  }

  private let server: WebSocketServer
  /// By the numbers of their connections.
  private let clients = Locked<[Int: Client]>([:])
  private let random = Locked(RandomSource.system)
  private let calls: PerformedCalls
  private let bag = DisposeBag()

  init(port: UInt16, _ calls: PerformedCalls) throws {
    self.calls = calls
    let configuration = WebSocketConfiguration(subprotocols: ["actioncable-v1-json"])
    server = try WebSocketServer(host: "", port: port, configuration: configuration)
    server.connections.subscribe(onNext: { [weak self] in self?.accept($0) }).disposed(by: bag)
    Observable<Int>.interval(.seconds(3), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] number in
        // It is busy from time to time.
        if number % 20 < 17 {
          let ping = WebSocketMessage.text(#"{"type":"ping","message":\#(number)}"#)
          self?.server.broadcast(ping) { socket in
            socket.request.map { self?.isWelcomed($0.connectionNumber) == true } ?? false
          }
        }
      })
      .disposed(by: bag)
  }

  private func isWelcomed(_ number: Int) -> Bool {
    clients.withLock { $0[number]?.isWelcomed == true }
  }

  private func isSubscribed(_ number: Int, to id: String) -> Bool {
    clients.withLock { $0[number]?.subscribed.contains(id) == true }
  }

  private func isOne(in count: Int) -> Bool {
    random.withLock { Int.random(in: 0..<count, using: &$0) == 0 }
  }

  /// Does something later, as a worker does when it has time.
  private func later(
    within milliseconds: Int = 1_000, _ body: @escaping @Sendable (UnreliableCableServer) -> Void
  ) {
    let delay = random.withLock { Int.random(in: 0...milliseconds, using: &$0) }
    Observable<Int>.timer(.milliseconds(delay), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] _ in if let self { body(self) } })
      .disposed(by: bag)
  }

  private func accept(_ socket: WebSocket) {
    guard let number = socket.request?.connectionNumber else { return }
    clients.withLock { $0[number] = Client(socket: socket) }
    if !isOne(in: 20) {
      later { server in
        try? socket.send(#"{"type":"welcome"}"#)
        server.clients.withLock { $0[number]?.isWelcomed = true }
      }
    }
    if isOne(in: 10) {
      later { _ in
        try? socket.send(#"{"type":"disconnect","reason":"server_restart","reconnect":true}"#)
        socket.close()
      }
    }
    _ = socket.events.subscribe(onNext: { [weak self] event in
      switch event {
      case .message(let message):
        guard let self else { return }
        let text = message.text ?? ""
        // Of the workers that perform commands any may be the first.
        later(within: 200) { server in
          let isThere = server.clients.withLock { $0[number] != nil }
          if isThere { server.receive(text, from: socket, number) }
        }
      case .disconnected: _ = self?.clients.withLock { $0.removeValue(forKey: number) }
      case .connected, .error: break
      }
    })
  }

  private func receive(_ text: String, from socket: WebSocket, _ number: Int) {
    guard let fields = try? JSONValue(parsing: text), let id = fields["identifier"]?.string else {
      return
    }
    // With the time until it is performed less than a second, in which a client may expect it.
    func send(_ fields: JSONValue) {
      later(within: 700) { _ in try? socket.send(fields.text) }
    }
    switch fields["command"]?.string {
    case "subscribe" where !isSubscribed(number, to: id):
      if isOne(in: 20) {
        return send(["identifier": .string(id), "type": "reject_subscription"])
      }
      if isOne(in: 20) { return }
      clients.withLock { _ = $0[number]?.subscribed.insert(id) }
      send(["identifier": .string(id), "type": "confirm_subscription"])
    case "unsubscribe": clients.withLock { _ = $0[number]?.subscribed.remove(id) }
    case "message" where isSubscribed(number, to: id):
      guard let data = fields["data"]?.string.flatMap({ try? JSONValue(parsing: $0) }),
        let call = data["id"]?.string
      else { return }
      calls.add(call)
      let peers = clients.withLock { $0.filter { $1.subscribed.contains(id) } }
      for (_, peer) in peers.sorted(by: { $0.key < $1.key }) {
        let message: JSONValue = ["identifier": .string(id), "message": data]
        later { _ in try? peer.socket.send(message.text) }
      }
    default: break
    }
  }
}
