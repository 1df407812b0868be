/// A WebSocket server, built from the same parts as the client.
///
/// ```swift
/// let server = try WebSocketServer()
/// server.connections.subscribe(onNext: { socket in
///   socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
/// }).disposed(by: bag)
/// print(server.url)
/// ```
///
/// The server listens when it is made; connections that open before the first observer of
/// `connections` are kept for that observer. The server retains each connection until it ends, and
/// closes all of them when the server is closed or released.
///
/// The configuration's limits apply to each connection: a client has `handshakeTimeout` for its
/// whole handshake, TLS included. `WebSocketAdmission` decides which clients may connect.
public final class WebSocketServer: Sendable {
  /// The port on which the server listens; 0 for a server without a listener.
  public let port: UInt16
  /// The URL for clients: `ws://127.0.0.1:8080/`, or `wss` with an identity; empty without a listener.
  public let url: String

  let sockets: ConnectionRegistry
  let topics: TopicDriver
  private let listener: (any Listener)?
  private let provider: any TLSProvider
  /// Makes the TLS session of each connection; nil for `ws`.
  private let sessionFactory: Locked<SessionFactory?>
  let clock: LoopClock
  /// The loop that delivers events of no connection in particular.
  var loop: EventLoop { clock.loop }

  /// A weak reference from requests to the server, which may be released before it answers them.
  private struct WeakReference {
    weak var server: WebSocketServer?
  }

  // A bare closure would gain one more wrapper, for good, each time generic code returns it.
  private struct SessionFactory {
    let make: TLSProvider.MakeSession
  }

  /// Listens on `host` and `port` for `ws`, or for `wss` with one identity.
  ///
  /// - Parameters:
  ///   - host: address to listen on: the loopback address of IPv4, which only this machine reaches;
  ///     empty for all addresses of this machine, IPv6 and IPv4
  ///   - port: port to listen on: 0 for any free port
  ///   - identity: certificate and key for `wss`; nil, the default, for `ws`
  ///   - configuration: subprotocols, timeouts and limits of each connection
  ///   - admission: decides which clients may connect: all by default
  ///   - loops: number of event loops that share the connections: one, which the process's clients
  ///     use too
  ///   - reusesPort: whether other servers, in this process or in others of the same user, may
  ///     listen on the same port (`SO_REUSEPORT`): false. All of them must set it. Linux selects the
  ///     server of a connection by a hash of both addresses, evenly on average. See <doc:Serving>
  ///     for the connections that a server has not accepted when it ends, and for other systems.
  ///   - backplane: joins the topics of this server with those of others: none. See <doc:ServingTopics>.
  ///   - onRequest: answers plain HTTP requests, which are answered with 426 without it: see
  ///     <doc:Serving>. It runs in a task of its own, not on the event loop. An error that it
  ///     throws is logged and answered with 500. Use the request's `server`: a closure that retains
  ///     the server prevents its release.
  /// - Throws: `TransportError` when the server cannot listen or the identity is not usable:
  ///   `addressInUse` when a server on the port, this one or another, does not set `reusesPort`.
  public convenience init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    identity: TLSIdentity? = nil,
    configuration: WebSocketConfiguration = .init(),
    admission: WebSocketAdmission = .init(),
    loops: EventLoopCount = 1,
    reusesPort: Bool = false,
    backplane: (any Backplane)? = nil,
    onRequest: (@Sendable (HTTPRequest) async throws -> HTTPResponse)? = nil
  ) throws(TransportError) {
    try self.init(
      host: host, port: port, tls: identity.map { TLSServerConfiguration(identity: $0) },
      configuration: configuration, admission: admission, loops: loops, reusesPort: reusesPort,
      backplane: backplane, onRequest: onRequest)
  }

  /// Listens on `host` and `port` for `wss`, with identities by name or certificates of clients.
  ///
  /// - Parameters:
  ///   - host: address to listen on: the loopback address of IPv4, which only this machine reaches;
  ///     empty for all addresses of this machine, IPv6 and IPv4
  ///   - port: port to listen on: 0 for any free port
  ///   - tls: identities, and authorities for certificates of clients; nil for `ws`
  ///   - configuration: subprotocols, timeouts and limits of each connection
  ///   - admission: decides which clients may connect: all by default
  ///   - loops: number of event loops that share the connections: one, which the process's clients
  ///     use too
  ///   - reusesPort: whether other servers, in this process or in others of the same user, may
  ///     listen on the same port (`SO_REUSEPORT`): false. All of them must set it. Linux selects the
  ///     server of a connection by a hash of both addresses, evenly on average. See <doc:Serving>
  ///     for the connections that a server has not accepted when it ends, and for other systems.
  ///   - backplane: joins the topics of this server with those of others: none. See <doc:ServingTopics>.
  ///   - onRequest: answers plain HTTP requests, which are answered with 426 without it: see
  ///     <doc:Serving>. It runs in a task of its own, not on the event loop. An error that it
  ///     throws is logged and answered with 500. Use the request's `server`: a closure that retains
  ///     the server prevents its release.
  /// - Throws: `TransportError` when the server cannot listen or `tls` is not usable:
  ///   `addressInUse` when a server on the port, this one or another, does not set `reusesPort`.
  public convenience init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    tls: TLSServerConfiguration?,
    configuration: WebSocketConfiguration = .init(),
    admission: WebSocketAdmission = .init(),
    loops: EventLoopCount = 1,
    reusesPort: Bool = false,
    backplane: (any Backplane)? = nil,
    onRequest: (@Sendable (HTTPRequest) async throws -> HTTPResponse)? = nil
  ) throws(TransportError) {
    let name = host.isEmpty ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
    try self.init(
      url: { "\(tls == nil ? "ws" : "wss")://\(name):\($0)/" }, tls: tls,
      configuration: configuration, admission: admission, loops: loops, backplane: backplane,
      onRequest: onRequest
    ) { loops throws(TransportError) in
      if let simulated = SocketHost.current {
        return try simulated.listener(on: host, port: port)
      }
      return try TCPListener(
        host: host, port: port, reusesPort: reusesPort,
        loop: loops.count > 1 ? .accepting() : loops[0])
    }
  }

  /// - Parameters:
  ///   - url: returns the URL for a port
  ///   - listen: makes the listener; nil for none
  init(
    url: (UInt16) -> String,
    tls: TLSServerConfiguration?,
    configuration: WebSocketConfiguration,
    admission: WebSocketAdmission,
    loops: EventLoopCount,
    backplane: (any Backplane)?,
    onRequest: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?,
    listen: ([EventLoop]) throws(TransportError) -> (any Listener)?
  ) throws(TransportError) {
    provider = SocketHost.current?.tls ?? configuration.tlsProvider
    let sessionFactory = Locked(try Self.prepare(tls, provider))
    self.sessionFactory = sessionFactory
    let loops = try EventLoop.first(loops)
    listener = try listen(loops)
    clock = LoopClock(loop: loops[0], scheduler: configuration.scheduler)
    let reference = Locked(WeakReference())
    let respond = onRequest.map { respond -> RequestHandler.Respond in
      { request in
        var request = request
        request.server = reference.withLock { $0.server }
        return try await respond(request)
      }
    }
    topics = TopicDriver(
      hasBackplane: backplane != nil, clock: clock, log: configuration.log)
    sockets = ConnectionRegistry(configuration, admission, respond: respond, on: loops)
    port = listener?.port ?? 0
    self.url = url(port)
    reference.withLock { $0.server = self }
    // Before there is a connection, whose first topic is subscribed at the backplane.
    if let backplane { topics.connect(to: backplane) }
    listener?.listen(noteShortage: { [sockets] in sockets.noteShortage($0) }) {
      [sockets] connection in
      guard let slot = sockets.reserveSlot(for: connection.peer) else { return connection.close() }
      let accept: @Sendable () -> Void = {
        let tcp = connection.transport(on: slot.loop)
        guard let sessionFactory = sessionFactory.withLock({ $0 }) else {
          return sockets.accept(tcp, at: slot)
        }
        do throws(TLSError) {
          let session = try sessionFactory.make()
          sockets.accept(TLSTransport(over: tcp, session, takesTurns: true), at: slot)
        } catch {
          sockets.drop(slot, error)
        }
      }
      if slot.loop.isCurrent { accept() } else { slot.loop.execute(accept) }
    }
    if SocketTaps.areObserved, configuration.isTapped { SocketTaps.started(self) }
  }

  private static func prepare(
    _ tls: TLSServerConfiguration?, _ provider: any TLSProvider
  ) throws(TransportError) -> SessionFactory? {
    guard let tls else { return nil }
    do throws(TLSError) {
      return SessionFactory(make: try provider.prepare(tls))
    } catch {
      throw .tls(error)
    }
  }

  /// Replaces the identities and authorities for new connections, such as renewed certificates.
  ///
  /// Open connections keep theirs. Call it from any thread; it blocks while it reads the
  /// certificates. If several calls overlap, the last one to return wins.
  ///
  /// - Throws: `TransportError.tls` when `tls` is not usable, or when this server serves `ws`; the
  ///   server then keeps its identities.
  public func reload(_ tls: TLSServerConfiguration) throws(TransportError) {
    guard sessionFactory.withLock({ $0 }) != nil else {
      throw .tls(.invalidConfiguration("a ws server has no identity to replace"))
    }
    let prepared = try Self.prepare(tls, provider)
    sessionFactory.withLock { $0 = prepared }
  }

  deinit { close() }

  /// Emits each connection after its handshake; completes when the server is closed.
  ///
  /// Each connection is emitted on the thread of its own event loop, as are the connection's own
  /// events. Connections are emitted one after the other: a server with several loops calls an
  /// observer on several threads, but never on two at once.
  ///
  /// The first observer also receives the open connections from before its subscription, at once,
  /// on the subscribing thread.
  public var connections: Observable<WebSocket> {
    Observable(.direct) { [sockets] in sockets.emission.add($0) }
  }

  /// Stops listening and closes all connections with 1001, also those that a `shutDown` would close
  /// later; ends all topics.
  public func close() {
    listener?.close()
    sockets.close()
    topics.close()
  }

  /// Stops listening, closes all connections, and returns when they and all topics have ended.
  ///
  /// - Parameters:
  ///   - limit: time to wait after the last close has begun: 10 seconds; the remaining connections
  ///     are then dropped. A client that does not answer the close is dropped after `closeTimeout`
  ///     if that is shorter. A cancelled task drops all connections at once.
  ///   - spread: time over which connections are closed, evenly and newest first, so that the
  ///     clients do not all reconnect in the same second: zero, which closes all at once. It ends
  ///     early when all have ended, or when `close()` or another `shutDown` closes them.
  ///   - code: close code: 1001, going away; with 1012, `serviceRestart`, clients reconnect
  ///   - reason: text for logs
  /// - Returns: The number of connections that were dropped.
  @discardableResult
  public func shutDown(
    within limit: Duration = .seconds(10),
    spreadOver spread: Duration = .zero,
    code: CloseCode = .goingAway,
    reason: String = ""
  ) async -> Int {
    listener?.close()
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
    // All connections have ended, possibly before their close was due.
    closing.cancel()
    await closing.value.dispose()
    topics.close()
    return dropped.withLock { $0 }
  }
}
