/// A WebSocket server, made of the same parts as the client.
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
/// `connections` are kept for it. It holds each connection until that ends, and closes all of them when it is
/// closed or released. What the configuration limits for a client, it limits here for each of them: a
/// client has `handshakeTimeout` for its whole handshake, TLS included. Who may connect is for its
/// `WebSocketAdmission` to say.
public final class WebSocketServer: Sendable {
  /// The port it listens on.
  public let port: UInt16
  /// Where clients find it: `ws://127.0.0.1:8080/`, or `wss` when it has an identity.
  public let url: String

  let sockets: ConnectionRegistry
  private let listener: TCPListener
  private let provider: any TLSProvider
  /// What makes the TLS of a connection; nil for `ws`.
  private let sessions: Locked<Sessions?>
  let clock: LoopClock
  /// Where what belongs to no connection is delivered.
  var loop: EventLoop { clock.loop }

  /// What leads from a request to the server, which may be released before it is answered.
  private struct Known {
    weak var server: WebSocketServer?
  }

  // A closure by itself would be wrapped once more each time that generic code hands it out, for good.
  private struct Sessions {
    let make: TLSProvider.MakeSession
  }

  /// Listens on `host` and `port`, for `ws`, or for `wss` with one identity.
  ///
  /// - Parameters:
  ///   - host: the address to listen on: the loopback address of IPv4 by default, which only this machine reaches;
  ///     empty for all addresses of this machine, IPv6 and IPv4.
  ///   - port: 0, the default, for any free one.
  ///   - identity: certificate and key of a server of `wss`; without them, the default, it serves `ws`.
  ///   - configuration: subprotocols, timeouts, limits.
  ///   - admission: who may connect: everybody.
  ///   - loops: How many event loops share the connections: one, which is that of the process's clients too.
  ///   - reusesPort: Whether several servers, of one process or of several processes of one user, may listen on the
  ///     same port: no. The system spreads the connections over those that say so (`SO_REUSEPORT`; Linux does it
  ///     evenly).
  ///   - onRequest: Answers the requests of HTTP that do not ask for a WebSocket: see <doc:Serving>. Without
  ///     it they are answered with 426. Called in a task of its own, off the event loop; an error that it
  ///     throws is logged, and answered with 500. A request knows its server: a closure that held it would keep it
  ///     for ever.
  /// - Throws: `TransportError`, when the address cannot be had or the identity cannot be used.
  public convenience init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    identity: TLSIdentity? = nil,
    configuration: WebSocketConfiguration = .init(),
    admission: WebSocketAdmission = .init(),
    loops: EventLoopCount = 1,
    reusesPort: Bool = false,
    onRequest: (@Sendable (HTTPRequest) async throws -> HTTPResponse)? = nil
  ) throws(TransportError) {
    try self.init(
      host, port, identity.map { TLSServerConfiguration(identity: $0) }, configuration, admission,
      loops, reusesPort: reusesPort, onRequest)
  }

  /// Listens on `host` and `port` for `wss`, with identities by name, or asking clients for certificates.
  ///
  /// - Parameters:
  ///   - tls: The identities, and whose certificates count.
  ///   - others: As in the other initialiser.
  /// - Throws: `TransportError`, when the address cannot be had or `tls` cannot be used.
  public convenience init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    tls: TLSServerConfiguration,
    configuration: WebSocketConfiguration = .init(),
    admission: WebSocketAdmission = .init(),
    loops: EventLoopCount = 1,
    reusesPort: Bool = false,
    onRequest: (@Sendable (HTTPRequest) async throws -> HTTPResponse)? = nil
  ) throws(TransportError) {
    try self.init(
      host, port, tls, configuration, admission, loops, reusesPort: reusesPort, onRequest)
  }

  private init(
    _ host: String,
    _ port: UInt16,
    _ tls: TLSServerConfiguration?,
    _ configuration: WebSocketConfiguration,
    _ admission: WebSocketAdmission,
    _ loops: EventLoopCount,
    reusesPort: Bool,
    _ onRequest: UpgradeHandler.Respond?
  ) throws(TransportError) {
    provider = configuration.tlsProvider
    let sessions = Locked(try Self.prepare(tls, provider))
    self.sessions = sessions
    let loops = try EventLoop.first(loops)
    listener = try TCPListener(
      host: host,
      port: port,
      reusesPort: reusesPort,
      loop: loops.count > 1 ? .accepting() : loops[0]
    )
    clock = LoopClock(loop: loops[0], scheduler: configuration.scheduler)
    let known = Locked(Known())
    let respond = onRequest.map { respond -> UpgradeHandler.Respond in
      { request in
        var request = request
        request.server = known.withLock { $0.server }
        return try await respond(request)
      }
    }
    sockets = ConnectionRegistry(configuration, admission, respond: respond, on: loops)
    self.port = listener.port
    let name = host.isEmpty ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
    url = "\(tls == nil ? "ws" : "wss")://\(name):\(listener.port)/"
    known.withLock { $0.server = self }
    listener.startAccepting(noteShortage: { [sockets] in sockets.noteShortage($0) }) {
      [sockets] socket in
      let peer = socket.remoteAddress.flatMap { NetworkAddress($0) }
      guard let place = sockets.takePlace(for: peer) else { return socket.close() }
      let accept: @Sendable () -> Void = {
        let tcp = TCPTransport(accepted: socket.descriptor, loop: place.loop)
        guard let sessions = sessions.withLock({ $0 }) else {
          return sockets.accept(tcp, at: place)
        }
        do throws(TLSError) {
          let session = try sessions.make()
          sockets.accept(TLSTransport(over: tcp, session, takesTurns: true), at: place)
        } catch {
          sockets.drop(place, error)
        }
      }
      if place.loop.isCurrent { accept() } else { place.loop.execute(accept) }
    }
  }

  private static func prepare(
    _ tls: TLSServerConfiguration?, _ provider: any TLSProvider
  ) throws(TransportError) -> Sessions? {
    guard let tls else { return nil }
    do throws(TLSError) {
      return Sessions(make: try provider.prepare(tls))
    } catch {
      throw .tls(error)
    }
  }

  /// Uses other identities, or other authorities, for the connections that come from now on: those that there are go
  /// on, with what they have.
  ///
  /// For certificates that were renewed; from any thread. It takes the time that reading them takes. Of calls at the same
  /// time the one that returns last counts.
  ///
  /// - Throws: `TransportError.tls`, when these cannot be used, or when this is a server of `ws`; nothing has changed
  ///   then.
  public func reload(_ tls: TLSServerConfiguration) throws(TransportError) {
    guard sessions.withLock({ $0 }) != nil else {
      throw .tls(.invalidConfiguration("this is a server of ws: it has no identity to be changed"))
    }
    let prepared = try Self.prepare(tls, provider)
    sessions.withLock { $0 = prepared }
  }

  deinit { close() }

  /// Each connection whose handshake is done; completes when the server is closed.
  ///
  /// It is delivered on the thread of its own event loop, like all that the connection itself delivers, and one after
  /// the other: a server of several loops calls an observer on several threads, but never on two at once.
  ///
  /// The first observer also receives those that came before it and have not ended, at once, on its own thread.
  public var connections: Observable<WebSocket> {
    Observable(.direct) { [sockets] in sockets.emission.add($0) }
  }

  /// Stops listening and closes all connections with 1001, those too that a `shutDown` would close later.
  public func close() {
    listener.close()
    sockets.close()
  }

  /// Stops listening, closes all connections, and returns when they have ended.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for them, from the last close on: 10 seconds; those that are left are dropped.
  ///     A client that does not answer the close is dropped after `closeTimeout` if that is shorter.
  ///     A task that is cancelled does not wait, but drops them at once.
  ///   - spread: The time over which they are closed, evenly and newest first, so that a fleet of clients does
  ///     not come back in one second: zero, all at once. It is shorter when all have ended before, or are closed by
  ///     `close()` or another `shutDown`.
  ///   - code: Why: 1001, going away; 1012, `serviceRestart`, asks clients to come back.
  ///   - reason: For people who read logs.
  /// - Returns: How many were left and dropped.
  @discardableResult
  public func shutDown(
    within limit: Duration = .seconds(10),
    spreadOver spread: Duration = .zero,
    code: CloseCode = .goingAway,
    reason: String = ""
  ) async -> Int {
    listener.close()
    let last = sockets.endServing()
    let dropped = Locked(0)
    let drop: @Sendable () -> Void = { [sockets] in
      sockets.drop { count in dropped.withLock { $0 = max($0, count) } }
    }
    let closing = Task { [sockets, clock] in
      await sockets.drain(last, over: spread, code, reason: reason, clock)
      return clock.afterAnywhere(limit, drop)
    }
    await withTaskCancellationHandler {
      await sockets.ended()
    } onCancel: {
      closing.cancel()
      drop()
    }
    // However all have ended, perhaps before they were to be closed.
    closing.cancel()
    await closing.value.dispose()
    return dropped.withLock { $0 }
  }
}
