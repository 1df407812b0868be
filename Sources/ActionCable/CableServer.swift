/// A small ActionCable server for demos and tests without Rails.
///
/// It processes commands in order and answers at once, like Rails with one worker. Closures are
/// called on the event loop's thread, one at a time.
package final class CableServer: Sendable {
  /// A client's connection and its subscriptions.
  private struct Peer {
    let socket: WebSocket
    let user: String
    /// In the order of the subscriptions.
    var identifiers: [String] = []

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
  /// - Throws: `TransportError`, when the port cannot be opened.
  package init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    authorize: @escaping Authorize,
    subscribe: @escaping Subscribe,
    perform: @escaping Perform
  ) throws(TransportError) {
    let configuration = WebSocketConfiguration(subprotocols: [CableConfiguration.subprotocol])
    server = try WebSocketServer(host: host, port: port, configuration: configuration)
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

  /// The number of connections, and of all their subscriptions.
  package var connectionCounts: (connections: Int, subscriptions: Int) {
    peers.withLock { peers in
      (peers.count, peers.values.reduce(0) { $0 + $1.identifiers.count })
    }
  }

  /// The clients, in the order in which they have connected.
  private var connected: [Peer] {
    peers.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Sends `message` to all subscriptions for whose identifier `isMeant` returns true.
  package func broadcast(_ message: JSONValue, where isMeant: (_ identifier: JSONValue) -> Bool) {
    for peer in connected {
      for identifier in peer.identifiers {
        guard let fields = try? JSONValue(parsing: identifier), isMeant(fields) else { continue }
        peer.send(["identifier": .string(identifier), "message": message])
      }
    }
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
      case .disconnected:
        // Released after unlocking: it may be the last reference.
        _ = self?.peers.withLock { $0.removeValue(forKey: number) }
      case .connected, .error: break
      }
    })
  }

  private func receive(_ text: String, _ number: Int) {
    guard let peer = peers.withLock({ $0[number] }), let fields = try? JSONValue(parsing: text),
      let identifier = fields["identifier"]?.string,
      let named = try? JSONValue(parsing: identifier)
    else { return }
    let isSubscribed = peer.identifiers.contains(identifier)
    switch fields["command"]?.string {
    case "subscribe" where !isSubscribed:
      let isAccepted = subscribe(peer.user, named)
      if isAccepted { peers.withLock { $0[number]?.identifiers.append(identifier) } }
      let answer = isAccepted ? "confirm_subscription" : "reject_subscription"
      peer.send(["identifier": .string(identifier), "type": .string(answer)])
    case "unsubscribe":
      peers.withLock { $0[number]?.identifiers.removeAll { $0 == identifier } }
    case "message" where isSubscribed:
      let data = fields["data"]?.string.flatMap { try? JSONValue(parsing: $0) }
      perform(self, peer.user, named, data ?? nil)
    // Like Rails, an unknown or wrong command has no answer.
    default: break
    }
  }
}
