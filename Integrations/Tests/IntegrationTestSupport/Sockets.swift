import Sockets

/// A server's connections and what they receive; each message is sent back.
public final class Echo: Sendable {
  /// The connections so far.
  public let sockets = Watched<[WebSocket]>([])
  private let bag = DisposeBag()

  /// Echoes the messages of all connections of `server`.
  public init(_ server: WebSocketServer) {
    server.connections.subscribe(onNext: { [sockets, bag] socket in
      sockets.update { $0.append(socket) }
      socket.messages.subscribe(onNext: { [weak socket] in try? socket?.send($0) })
        .disposed(by: bag)
    }).disposed(by: bag)
  }
}

extension WebSocketConfiguration {
  /// A client or server of a test, which sends no pings.
  public static var quiet: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = nil
    configuration.proxy = .direct
    return configuration
  }
}
