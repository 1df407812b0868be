/// A small ActionCable server for demos and tests without Rails.
///
/// It processes commands in order and answers at once, like Rails with one worker. Closures are
/// called on the event loop's thread, one at a time. What is broadcast goes through the topics of
/// the WebSocket server, so with a backplane several processes are one server.
package final class CableServer: Sendable {
  /// An identifier as the client writes it, and its topic, which is the same for all clients.
  private struct Subscription {
    let identifier: String
    let topic: String
  }

  /// A client's connection and its subscriptions.
  private struct Peer {
    let socket: WebSocket
    let user: String
    /// In their order.
    var subscriptions: [Subscription] = []

    func send(_ fields: JSONValue) { try? socket.send(fields.text) }
  }

  /// Returns the user of a request, or nil to refuse the connection.
  package typealias Authorize = @Sendable (WebSocketRequest?) -> String?
  /// Returns whether a user may subscribe to an identifier.
  package typealias Subscribe = @Sendable (_ user: String, _ identifier: JSONValue) -> Bool
  /// Performs a call, whose data contains the `action`.
  package typealias Perform =
    @Sendable (
      _ server: CableServer, _ user: String, _ identifier: JSONValue, _ data: JSONValue
    ) -> Void

  private let server: WebSocketServer
  /// The observations of the topics, with the numbers of their subscriptions.
  private let observations = Locked<[String: (count: Int, observation: SerialDisposable)]>([:])
  /// By the numbers of their connections.
  private let peers = Locked<[Int: Peer]>([:])
  private let subscribe: Subscribe
  private let perform: Perform
  private let bag = DisposeBag()

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - host: address to listen on, which only this machine reaches by default.
  ///   - port: port to listen on, any free one by default.
  ///   - backplane: joins this server with those of other processes; none by default.
  ///   - keepalive: pings that the WebSockets send; on by default.
  /// - Throws: `TransportError`, when the port cannot be opened.
  package init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    backplane: (any Backplane)? = nil,
    keepalive: WebSocketKeepalive? = .init(),
    authorize: @escaping Authorize,
    subscribe: @escaping Subscribe,
    perform: @escaping Perform
  ) throws(TransportError) {
    var configuration = WebSocketConfiguration(subprotocols: [CableConfiguration.subprotocol])
    configuration.keepalive = keepalive
    server = try WebSocketServer(
      host: host, port: port, configuration: configuration, backplane: backplane)
    (self.subscribe, self.perform) = (subscribe, perform)
    server.connections
      .subscribe(onNext: { [weak self] in self?.accept($0, authorize) })
      .disposed(by: bag)
    let clock = ConcurrentDispatchQueueScheduler(qos: .default)
    Observable<Int>.interval(.seconds(3), scheduler: clock)
      .subscribe(onNext: { [weak self] in self?.sendAll(#"{"type":"ping","message":\#($0)}"#) })
      .disposed(by: bag)
  }

  deinit { server.close() }

  /// The URL for clients.
  package var url: String { server.url + "cable" }

  /// The state of the connection to the backplane, as of a WebSocket server.
  package var backplaneStates: Observable<BackplaneState> { server.backplaneStates }

  /// The number of connections, and of all their subscriptions.
  package var connectionCounts: (connections: Int, subscriptions: Int) {
    peers.withLock { peers in
      (peers.count, peers.values.reduce(0) { $0 + $1.subscriptions.count })
    }
  }

  /// The clients, in the order in which they have connected.
  private var connected: [Peer] {
    peers.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Sends `message` to all subscriptions to an identifier, also those of other processes.
  package func broadcast(_ message: JSONValue, to identifier: JSONValue) {
    server.topic(identifier.text).publish(.text(message.text))
  }

  /// Ends all connections, like a server that restarts.
  package func disconnectAll(_ reason: String, reconnect: Bool) {
    for peer in connected {
      peer.send(["type": "disconnect", "reason": .string(reason), "reconnect": .bool(reconnect)])
      peer.socket.close()
    }
  }

  private func sendAll(_ text: String) {
    for peer in connected { try? peer.socket.send(text) }
  }

  private func accept(_ socket: WebSocket, _ authorize: Authorize) {
    guard let request = socket.request, let user = authorize(request) else {
      try? socket.send(#"{"type":"disconnect","reason":"unauthorized","reconnect":false}"#)
      return socket.close()
    }
    let number = request.connectionNumber
    peers.withLock { $0[number] = Peer(socket: socket, user: user) }
    try? socket.send(#"{"type":"welcome"}"#)
    // The subscription ends with the socket.
    _ = socket.events.subscribe(onNext: { [weak self] event in
      switch event {
      case .message(let message): self?.receive(message.text ?? "", number)
      case .disconnected: self?.remove(number)
      case .connected, .error: break
      }
    })
  }

  private func remove(_ number: Int) {
    // Released after unlocking: it may be the last reference.
    let peer = peers.withLock { $0.removeValue(forKey: number) }
    for subscription in peer?.subscriptions ?? [] { stopObserving(subscription.topic) }
  }

  private func receive(_ text: String, _ number: Int) {
    guard let peer = peers.withLock({ $0[number] }), let fields = try? JSONValue(parsing: text),
      let identifier = fields["identifier"]?.string,
      let named = try? JSONValue(parsing: identifier)
    else { return }
    let subscription = peer.subscriptions.first { $0.identifier == identifier }
    switch fields["command"]?.string {
    case "subscribe" where subscription == nil:
      let isAccepted = subscribe(peer.user, named)
      if isAccepted {
        let made = Subscription(identifier: identifier, topic: named.text)
        peers.withLock { $0[number]?.subscriptions.append(made) }
        observe(made.topic)
      }
      let answer = isAccepted ? "confirm_subscription" : "reject_subscription"
      peer.send(["identifier": .string(identifier), "type": .string(answer)])
    case "unsubscribe":
      guard let subscription else { return }
      peers.withLock { $0[number]?.subscriptions.removeAll { $0.identifier == identifier } }
      stopObserving(subscription.topic)
    case "message" where subscription != nil:
      let data = fields["data"]?.string.flatMap { try? JSONValue(parsing: $0) }
      perform(self, peer.user, named, data ?? nil)
    // Like Rails, an unknown or wrong command has no answer.
    default: break
    }
  }

  // MARK: Topics

  /// Counts a subscription of a topic; the first one observes it.
  private func observe(_ topic: String) {
    let first = observations.withLock { observations -> SerialDisposable? in
      observations[topic, default: (0, SerialDisposable())].count += 1
      return observations[topic].flatMap { $0.count == 1 ? $0.observation : nil }
    }
    first?.disposable = server.topic(topic).messages
      .subscribe(onNext: { [weak self] in self?.deliver($0, of: topic) })
  }

  private func stopObserving(_ topic: String) {
    let ended = observations.withLock { observations -> SerialDisposable? in
      observations[topic]?.count -= 1
      return observations[topic]?.count == 0
        ? observations.removeValue(forKey: topic)?.observation : nil
    }
    ended?.dispose()
  }

  /// Sends what was broadcast to the subscriptions of this process.
  private func deliver(_ message: WebSocketMessage, of topic: String) {
    guard let text = message.text else { return }
    for peer in connected {
      for subscription in peer.subscriptions where subscription.topic == topic {
        let identifier = JSONValue.string(subscription.identifier).text
        try? peer.socket.send(#"{"identifier":\#(identifier),"message":\#(text)}"#)
      }
    }
  }
}
