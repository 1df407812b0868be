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
final class PerformedCalls: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  var performed: Set<String> = []
}

/// A client that subscribes and unsubscribes, and numbers its calls.
final class CableCaller: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private let cable: CableClient
  private let channel: CableChannel
  private let name: String
  private var callCount = 0
  /// Each call that was taken, with the number of its failures.
  private var failureCounts: [String: Int] = [:]
  /// The calls that wait for the subscription.
  private var waiting: Set<String> = []
  /// The calls whose outcomes are asked for.
  private var asked: Set<String>?
  private(set) var neverWritten: Set<String> = []
  private(set) var hasReceivedNothingUnsubscribed = true
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
      if channel.state == .unsubscribed { hasReceivedNothingUnsubscribed = false }
    case .performFailed(let call, let error):
      let id = call.data["id"]?.string ?? ""
      failureCounts[id, default: 10] += 1
      if error == .neverWritten { neverWritten.insert(id) }
    case .subscribed: waiting = []
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
    default:
      callCount += 1
      let id = "\(name), call \(callCount)"
      do {
        if try channel.perform("say", ["id": .string(id)]) == .buffered { waiting.insert(id) }
        failureCounts[id] = 0
      } catch {
        // It was not taken, which is its outcome.
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
    let calls = asked ?? Set(failureCounts.keys)
    asked = calls
    var isDisconnected: Bool { if case .disconnected = cable.state { true } else { false } }
    return calls.allSatisfy { call in
      performed.contains(call) || failureCounts[call, default: 0] > 0
        || isDisconnected && waiting.contains(call)
    }
  }

  var hasOneOutcomeForEach: Bool { failureCounts.values.allSatisfy { $0 <= 1 } }

  /// Whether it is subscribed; it subscribes again after a rejection.
  var isSubscribed: Bool { channel.state == .subscribed }
}

/// A cable server with the habits of Rails under load: it answers late and out of order, answers no second subscription,
/// forgets a welcome or a subscription, performs commands in any order, rejects, goes on sending to a channel that has
/// unsubscribed, and restarts.
final class UnreliableCableServer: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private let server: WebSocketServer
  /// By the numbers of their connections.
  private var sockets: [Int: WebSocket] = [:]
  private var subscribed: [Int: Set<String>] = [:]
  /// Those that have been welcomed, and receive pings.
  private var welcomed: Set<Int> = []
  private var random = RandomSource.system
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
            socket.request.map { self?.welcomed.contains($0.connectionNumber) == true } ?? false
          }
        }
      })
      .disposed(by: bag)
  }

  private func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  /// Does something later, as a worker does when it has time.
  private func later(
    within milliseconds: Int = 1_000, _ body: @escaping @Sendable (UnreliableCableServer) -> Void
  ) {
    let delay = Int.random(in: 0...milliseconds, using: &random)
    Observable<Int>.timer(.milliseconds(delay), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] _ in if let self { body(self) } })
      .disposed(by: bag)
  }

  private func accept(_ socket: WebSocket) {
    guard let number = socket.request?.connectionNumber else { return }
    (sockets[number], subscribed[number]) = (socket, [])
    if !isOne(in: 20) {
      later { server in
        try? socket.send(#"{"type":"welcome"}"#)
        server.welcomed.insert(number)
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
          if server.sockets[number] != nil { server.receive(text, from: socket, number) }
        }
      case .disconnected: self?.forget(number)
      case .connected, .error: break
      }
    })
  }

  private func forget(_ number: Int) {
    (sockets[number], subscribed[number]) = (nil, nil)
    welcomed.remove(number)
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
    case "subscribe" where subscribed[number]?.contains(id) == false:
      if isOne(in: 20) {
        return send(["identifier": .string(id), "type": "reject_subscription"])
      }
      if isOne(in: 20) { return }
      subscribed[number]?.insert(id)
      send(["identifier": .string(id), "type": "confirm_subscription"])
    case "unsubscribe": subscribed[number]?.remove(id)
    case "message" where subscribed[number]?.contains(id) == true:
      guard let data = fields["data"]?.string.flatMap({ try? JSONValue(parsing: $0) }),
        let call = data["id"]?.string
      else { return }
      calls.performed.insert(call)
      for (number, peer) in sockets.sorted(by: { $0.key < $1.key })
      where subscribed[number]?.contains(id) == true {
        let message: JSONValue = ["identifier": .string(id), "message": data]
        later { _ in try? peer.send(message.text) }
      }
    default: break
    }
  }
}
