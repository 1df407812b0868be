import Foundation

/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// The path with its percent encoding; begins with a slash.
  public let path: String
  /// What follows the question mark, as it was sent; nil without one.
  public let query: String?
  /// All headers of the request.
  public let headers: HTTPHeaders
}

/// A small WebSocket server for demos, tests and tools, on the same core as the client.
///
/// ```swift
/// let server = try WebSocketServer()
/// server.connections.subscribe(onNext: { socket in
///   socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
/// }).disposed(by: bag)
/// print(server.url)
/// ```
///
/// It listens from its first line on; connections that come before the first observer of
/// `connections` are kept for it. It holds its connections until they end, and closes them when it is
/// closed or released. What the configuration limits for a client, it limits here; of its
/// subprotocols the first that the client offers is taken.
public final class WebSocketServer: Sendable {
  /// The port it listens on.
  public let port: UInt16
  /// Where clients find it: `ws://127.0.0.1:8080/`.
  public let url: String

  private let listener: TCPListener
  private let sockets = ServedSockets()

  /// Listens on `host` and `port`.
  ///
  /// - Parameters:
  ///   - host: the address to listen on; the loopback address by default.
  ///   - port: 0, the default, for any free one.
  ///   - configuration: subprotocols, timeouts, limits.
  /// - Throws: `TransportError`, when the address cannot be had.
  public init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    configuration: WebSocketConfiguration = .init()
  ) throws(TransportError) {
    listener = try TCPListener(host: host, port: port)
    self.port = listener.port
    url = "ws://\(host.contains(":") ? "[\(host)]" : host):\(listener.port)/"
    listener.start { [sockets] transport in sockets.accept(transport, configuration) }
  }

  deinit { close() }

  /// Each connection whose handshake is done, on the event loop's thread; completes when the server
  /// is closed.
  public var connections: Observable<WebSocket> {
    Observable(.direct) { [sockets] in
      sockets.connections.add($0, replaysAfterEnd: true)
    }
  }

  /// Stops listening and closes all connections with 1001.
  public func close() {
    listener.close()
    sockets.close()
  }
}

/// The connections of a server.
private final class ServedSockets: Sendable {
  let connections = Multicast<WebSocket>(capacity: 1_024, handsOver: true)
  private let open = Locked<[ObjectIdentifier: WebSocket]?>([:])

  func accept(_ transport: TCPTransport, _ configuration: WebSocketConfiguration) {
    let opener = ServerOpener(transport, self)
    let pump = Pump(opener, configuration, opener.streams)
    opener.meet(pump)
    pump.connect()
  }

  func opened(_ socket: WebSocket) {
    let isServing = open.withLock { open in
      open?[ObjectIdentifier(socket)] = socket
      return open != nil
    }
    if isServing { connections.next(socket) } else { socket.close(code: .goingAway) }
  }

  func closed(_ socket: WebSocket) {
    // Released here, unlocked.
    _ = open.withLock { $0?.removeValue(forKey: ObjectIdentifier(socket)) }
  }

  func close() {
    let last = open.withLock { open in
      defer { open = nil }
      return open
    }
    for socket in (last ?? [:]).values { socket.close(code: .goingAway) }
    connections.hub.end(nil)
  }
}

/// Meets a client on a connection that was accepted.
private final class ServerOpener: Opener {
  private struct Meeting {
    weak var pump: Pump?
    var request: UpgradeRequest?
    var socket: WebSocket?
  }

  let streams = SocketStreams()
  let loop: EventLoop
  var role: Connection.Role { .server }

  private let transport: TCPTransport
  private let sockets: ServedSockets
  private let meeting = Locked(Meeting())

  init(_ transport: TCPTransport, _ sockets: ServedSockets) {
    self.transport = transport
    self.sockets = sockets
    loop = transport.loop
  }

  func meet(_ pump: Pump) { meeting.withLock { $0.pump = pump } }

  func open(
    _ configuration: WebSocketConfiguration
  ) throws(WebSocketError) -> (any Transport, Opening) {
    (transport, .server(ServerHandshake()))
  }

  func receive(
    _ input: inout UnsafeRawBufferPointer,
    _ opening: Opening,
    _ configuration: WebSocketConfiguration
  ) throws(OpeningFailure) -> Agreement? {
    guard case .server(var handshake) = opening else { return nil }
    do throws(HandshakeRefusal) {
      guard let request = try handshake.receive(&input) else {
        return .unfinished(.server(handshake))
      }
      meeting.withLock { $0.request = request }
      return try agree(to: request, configuration)
    } catch {
      let problem = HandshakeError.malformedHead(error.body)
      throw OpeningFailure(error: .handshake(problem), answer: error.response)
    }
  }

  private func agree(
    to request: UpgradeRequest,
    _ configuration: WebSocketConfiguration
  ) throws(HandshakeRefusal) -> Agreement {
    let subprotocol = configuration.subprotocols.first { request.subprotocols.contains($0) }
    do throws(HandshakeError) {
      let headers = configuration.headers
      let answer = try request.accept(subprotocol: subprotocol, headers: headers)
      return .open(subprotocol: subprotocol, answer: answer)
    } catch {
      throw HandshakeRefusal(status: 500, reason: "Internal Server Error", body: "\(error)\n")
    }
  }

  func opened() {
    let socket: WebSocket? = meeting.withLock { meeting in
      guard let pump = meeting.pump, let request = meeting.request else { return nil }
      let asked = WebSocketRequest(
        path: request.path,
        query: request.query,
        headers: request.headers
      )
      meeting.socket = WebSocket(pump, streams, request: asked)
      return meeting.socket
    }
    if let socket { sockets.opened(socket) }
  }

  func closed() {
    let socket = meeting.withLock { meeting in
      defer { meeting.socket = nil }
      return meeting.socket
    }
    if let socket { sockets.closed(socket) }
  }
}
