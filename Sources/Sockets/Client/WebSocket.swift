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
/// **Delivery.** Elements are delivered on the thread of the WebSocket's event loop, in the order
/// of the wire. A client uses the process's shared loop, a server's connection one of
/// ``WebSocketServer``'s loops. Observers must not block there: heavy work takes
/// `observe(on:buffer:)` or `values`. Each observer receives every element from its subscription
/// on. Messages that arrive before the first observer of `frames`, `messages` or `events` are kept
/// for that observer: up to 16 messages or 1 MiB. Then reading pauses. Pings are answered
/// meanwhile, and not kept. To receive all of several streams, subscribe to them before
/// `connect()`, or, for a server's connection, where `connections` delivers it.
///
/// **Async.** ``values`` and ``receive()`` read no faster than the program takes messages, and
/// `sendWhenWritable` waits for room: see <doc:Messages>.
///
/// **Sending** is possible on any thread and never waits. Messages that are sent in one turn of the
/// event loop, or in a burst from another thread, share one write.
///
/// **Life.** A WebSocket connects once and ends once. The connection lives as long as the object or
/// a subscription to it; released, it closes with 1001.
public final class WebSocket: Sendable {
  let driver: ConnectionDriver
  /// This WebSocket as tools see it.
  package var tapped: any TappedSocket { driver }
  let streams = SocketStreams()
  /// Created by the first `receive()`, and shared by all receiving tasks.
  let inbox = LazyReference<Inbox>()

  /// Creates a WebSocket to `url`, which `connect()` connects.
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

  /// Creates either side of a WebSocket, over the transport that `dial` creates.
  init(
    _ role: MessageCodec.Role,
    _ options: SharedOptions,
    on loop: EventLoop,
    dial: @escaping ConnectionDriver.Dial
  ) {
    driver = ConnectionDriver(role, options, streams, on: loop, dial: dial)
  }

  deinit { driver.close(.goingAway, reason: "") }

  /// Creates a WebSocket to `url` and connects it at once.
  public static func connect(
    to url: String,
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    let socket = WebSocket(url, configuration: configuration)
    socket.connect()
    return socket
  }

  /// Creates a WebSocket to `url` and connects it at once.
  public static func connect(
    to url: URL,
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    connect(to: url.absoluteString, configuration: configuration)
  }

  /// Connects, the first time it is called.
  public func connect() { driver.connect() }

  // MARK: Observing

  /// The current state; it changes before `states` and `events` emit the change.
  public var state: WebSocketState { driver.state }

  /// The state, beginning with the current one; completes after `disconnected`.
  public var states: Observable<WebSocketState> {
    Observable(.direct) { [self] in streams.addStates($0, keeping: self) }
  }

  /// Connection, messages, errors and the end; completes after `disconnected` and never fails.
  ///
  /// Replies to requests are not among the messages.
  public var events: Observable<WebSocketEvent> {
    observable { $0.streams.events.add($1, keeping: $0) }
  }

  /// The messages; completes when the WebSocket closes, fails with ``WebSocketError`` when it
  /// breaks.
  ///
  /// Replies to requests are not among them.
  ///
  /// Behind `observe(on:buffer:)` or `values(buffer:)` with `suspend`, reading from the peer pauses
  /// while the buffer is full, until half of it is taken. `messages.values` has a buffer of 16
  /// messages; ``values`` also counts bytes.
  public var messages: Observable<WebSocketMessage> {
    observable { socket, down in
      let streams = socket.streams
      streams.messages.add(streams.reading(for: down, socket.driver), keeping: socket)
    }
  }

  /// Every received frame, control frames included, before its effect; ends like `messages`.
  public var frames: Observable<Frame> {
    observable(isFrames: true) { $0.streams.frames.add($1, keeping: $0) }
  }

  /// The agreed subprotocol; nil before `connected`, and when there is none.
  public var subprotocol: String? { driver.agreement?.subprotocol }

  /// The agreed extensions, as in the server's header; empty before `connected` and without any.
  ///
  /// For example `permessage-deflate; client_max_window_bits=12`.
  public var extensions: String { driver.agreement?.extensions ?? "" }

  /// The counts of frames, messages and bytes so far, and the bytes that are queued.
  public var metrics: WebSocketMetrics { driver.metrics }

  /// The requests that wait for replies, and their counts.
  public var pendingRequests: PendingRequests {
    streams.requests.object {
      PendingRequests(
        clock: driver.clock,
        // Reading may have paused for want of an observer.
        beganWaiting: { [weak driver] in
          if let driver, !driver.streams.isObserved { driver.resume() }
        })
    }
  }

  /// The request that a server accepted; nil for a client.
  public var request: WebSocketRequest? { driver.agreement?.request }

  /// The address of the peer, or of the proxy before it.
  ///
  /// A server's connection keeps the address; a client's knows it while it is connected. Nil where
  /// there is no network, as in tests.
  public var peerAddress: NetworkAddress? {
    request?.peerAddress ?? driver.lock.withLock { driver.transport }?.peerAddress
  }

  private func observable<Element>(
    isFrames: Bool = false,
    add: @escaping (WebSocket, Observer<Element>) -> Void
  ) -> Observable<Element> {
    Observable(.direct) { [self] down in
      add(self, down)
      if streams.noteObserver(ofFrames: isFrames) { driver.resume() }
    }
  }

  // MARK: Sending

  /// Sends a message.
  ///
  /// - Throws: `notConnected` unless the state is `connected`.
  public func send(_ message: WebSocketMessage) throws(WebSocketError) {
    try driver.send(message)
  }

  /// Sends a ping with this payload.
  ///
  /// The peer's pong carries the same payload, and is emitted by `frames`.
  ///
  /// - Throws: `notConnected`, `controlPayloadTooLong`.
  public func ping(_ payload: Data) throws(WebSocketError) {
    try driver.send { session throws(WebSocketError) in try session.ping(payload) }
  }

  /// Closes; the state has changed when this returns.
  ///
  /// Nothing can be sent from then on. Messages that wait behind a message in fragments are not
  /// sent. Messages that the peer sends until it closes too are delivered. Those that arrive while
  /// a consumer's window, a buffer or the backlog for the first observer is full are discarded. The
  /// connection is dropped when the peer takes longer than `closeTimeout`. Before `connected` this
  /// cancels connecting.
  ///
  /// - Parameters:
  ///   - code: close code; 1000 by default. A code that may not be sent is reported by `events` and
  ///     replaced by 1000.
  ///   - reason: text for logs; cut to 123 bytes of UTF-8.
  public func close(code: CloseCode = .normal, reason: String = "") {
    driver.close(code, reason: reason)
  }

  /// Drops the connection at once, without a close frame, as for a peer that misbehaves.
  ///
  /// Nothing can be sent from then on, and queued bytes are not written. Nothing more is delivered,
  /// except messages that async consumers have not taken yet and a message that another thread is
  /// delivering. `disconnected` follows soon, with code 1006 and no error.
  public func drop() { driver.drop() }
}
