#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A WebSocket (RFC 6455) whose frames, messages and states are observables.
///
/// ```swift
/// let socket = WebSocket.connect(to: "ws://localhost:8080/chat")
/// socket.messages.subscribe(onNext: { print($0.text ?? "") }).disposed(by: bag)
/// socket.states.filter { $0 == .connected }
///   .subscribe(onNext: { _ in try? socket.send("hello") }).disposed(by: bag)
/// ```
///
/// **Delivery.** Everything is delivered on the thread of its event loop, in the order of the wire: the process's
/// own, for a server's connections one of ``WebSocketServer``'s loops.
/// Observers must not block there: heavy work takes `observe(on:buffer:)` or `values`. Each observer receives
/// everything from its subscription on. What comes before the first observer of `frames`, `messages`
/// or `events` is kept and told then: 16 messages or 1 MiB; more is not read until then. Pings are answered meanwhile, and not kept. Whoever wants several of the three
/// whole observes them before `connect()`; a server's connections, where `connections` delivers them.
///
/// **Async.** ``values`` and ``receive()`` are read no faster than they are taken, `sendWhenWritable`
/// waits for room: see <doc:Messages>.
///
/// **Sending** may happen on any thread and never waits. What was sent in one turn of the event loop,
/// or in a burst from another thread, leaves in one write.
///
/// **Life.** A WebSocket connects once and ends once. The connection lives as long as the object or a
/// subscription to it; released, it closes with 1001.
public final class WebSocket: Sendable {
  let driver: ConnectionDriver
  let streams = SocketStreams()
  /// Made when somebody receives: one for all who do.
  let inbox = LazyReference<Inbox>()

  /// A WebSocket to `url`, which `connect()` connects.
  ///
  /// - Parameters:
  ///   - url: `ws://host:port/path?query`. A wrong URL is reported by `events` and `states`.
  ///   - configuration: headers, subprotocols, timeouts, limits.
  public convenience init(_ url: String, configuration: WebSocketConfiguration = .init()) {
    let options = SharedOptions.ofClient(configuration, name: url.withoutSecrets)
    self.init(.client(MaskKeys(systemRandomBytes)), options, on: .shared) {
      () throws(WebSocketError) in
      try Dialer(url, configuration).dial()
    }
  }

  /// Either side of a WebSocket, over whatever `dial` makes.
  init(
    _ role: Connection.Role,
    _ options: SharedOptions,
    on loop: EventLoop,
    dial: @escaping ConnectionDriver.Dial
  ) {
    driver = ConnectionDriver(role, options, streams, on: loop, dial: dial)
  }

  deinit { driver.close(.goingAway, reason: "") }

  /// A WebSocket to `url` that connects at once.
  public static func connect(
    to url: String,
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    let socket = WebSocket(url, configuration: configuration)
    socket.connect()
    return socket
  }

  /// A WebSocket to `url` that connects at once.
  public static func connect(
    to url: URL,
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    connect(to: url.absoluteString, configuration: configuration)
  }

  /// Connects, the first time it is called.
  public func connect() { driver.connect() }

  // MARK: Observing

  /// The current state; it changes before `states` and `events` tell.
  public var state: WebSocketState { driver.state }

  /// The state, beginning with the current one; completes after `disconnected`.
  public var states: Observable<WebSocketState> {
    Observable(.direct) { [self] in streams.addStates($0, keeping: self) }
  }

  /// Connection, messages, errors and the end; completes after `disconnected` and never fails.
  public var events: Observable<WebSocketEvent> { observable { $0.events.add($1) } }

  /// The messages; completes when the WebSocket is closed and fails with a ``WebSocketError`` when it
  /// breaks.
  ///
  /// Behind `observe(on:buffer:)` or `values(buffer:)` with `suspend` nothing more is read from the peer while the buffer
  /// is full, until half of it is taken. `messages.values` keeps without bound what is not taken yet: to iterate, use
  /// ``values``.
  public var messages: Observable<WebSocketMessage> {
    observable { [driver] streams, down in streams.messages.add(streams.reading(for: down, driver))
    }
  }

  /// Every frame that comes, control frames too, before what it brings about; ends like `messages`.
  public var frames: Observable<Frame> {
    observable(isFrames: true) { $0.frames.add($1) }
  }

  /// The subprotocol that was agreed upon; nil before `connected`, and when there is none.
  public var subprotocol: String? { driver.agreement?.subprotocol }

  /// The extensions that were agreed upon, as the server's header tells them, such as
  /// `permessage-deflate; client_max_window_bits=12`; empty before `connected`, and when there are none.
  public var extensions: String { driver.agreement?.extensions ?? "" }

  /// What has gone through so far, and what waits.
  public var metrics: WebSocketMetrics { driver.metrics }

  /// The request that a server accepted; nil for a client.
  public var request: WebSocketRequest? { driver.agreement?.request }

  /// Where the peer is, or the proxy before it.
  ///
  /// A server's connection keeps it, a client's knows it while it is connected. Nil where there is no network,
  /// as in tests.
  public var peerAddress: NetworkAddress? {
    request?.peerAddress ?? driver.lock.withLock { driver.transport }?.peerAddress
  }

  private func observable<Element>(
    isFrames: Bool = false,
    add: @escaping (SocketStreams, Observer<Element>) -> Void
  ) -> Observable<Element> {
    Observable(.direct) { [self] down in
      retain(until: down)
      add(streams, down)
      if streams.noteObserver(ofFrames: isFrames) { driver.resume() }
    }
  }

  func retain<Element>(until down: Observer<Element>) {
    down.lifetime.add(ActionDisposable { withExtendedLifetime(self) {} })
  }

  // MARK: Sending

  /// Sends a message.
  ///
  /// - Throws: `notConnected` unless the state is `connected`.
  public func send(_ message: WebSocketMessage) throws(WebSocketError) {
    try driver.send { connection throws(SendError) in try connection.send(message) }
  }

  /// Sends a ping of this payload; the peer answers with a pong that has the same, which `frames` shows.
  ///
  /// - Throws: `notConnected`, `controlPayloadTooLong`.
  public func ping(_ payload: Data) throws(WebSocketError) {
    try driver.send { connection throws(SendError) in try connection.ping(payload) }
  }

  /// Closes: in effect before it returns.
  ///
  /// Nothing can be sent any more, not what waits behind a message in fragments either. What the peer
  /// sends until it closes too is delivered, but for what comes when a consumer's window, a buffer or what waits
  /// for the first observer is full: that is cut off. The connection is dropped when the peer takes longer
  /// than `closeTimeout`. Before `connected` it gives up connecting.
  ///
  /// - Parameters:
  ///   - code: why; 1000 by default. One that may not be sent is reported by `events`, and 1000 is
  ///     sent.
  ///   - reason: for people who read logs; cut to 123 bytes of UTF-8.
  public func close(code: CloseCode = .normal, reason: String = "") {
    driver.close(code, reason: reason)
  }

  /// Drops the connection at once, without a close frame: for a peer that is not wanted any more.
  ///
  /// Nothing can be sent any more, and what waits to be written does not leave. Nothing more is delivered, but for
  /// what async consumers have not taken yet, and a message that is being delivered on another thread. `disconnected`
  /// follows soon, with code 1006 and no error.
  public func drop() { driver.drop() }
}
