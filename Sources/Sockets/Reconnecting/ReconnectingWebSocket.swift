/// A WebSocket that connects again when its connection is lost.
///
/// ```swift
/// let socket = ReconnectingWebSocket {
///   let token = try await session.token()  // anew for each attempt
///   return WebSocket("wss://example.com/chat", configuration: .init(headers: ["Authorization": token]))
/// }
/// socket.messages.subscribe(onNext: { print($0) }).disposed(by: bag)
/// socket.connect()
/// try socket.send("hello")  // waits for the connection
/// ```
///
/// There is one connection at a time, and a growing delay between them: see
/// ``ReconnectionStrategy``. After a transient failure it tries again; other failures are final, as
/// ``WebSocketOutage/isTransient`` decides, unless ``ReconnectionConfiguration/shouldReconnect``
/// decides otherwise. A subscription to `events`, `messages` or `states` spans
/// all connections, and ends when the WebSocket does:
/// - it completes when either side has closed for good (`close()`, the peer's 1000);
/// - `messages` fails with the final error or with ``WebSocketError/gaveUp(attempts:last:)``, while
///   the others complete.
///
/// **Delivery.** Elements are delivered where the configuration's scheduler runs. Without one, that
/// is where the clock of the composer or test that creates the WebSocket runs, otherwise the thread
/// of an event loop. For the first observer of `messages`, and of `events`, the last 16 elements
/// before its subscription are kept.
///
/// **Sending** is possible on any thread and never waits. The ``BacklogPolicy`` decides about
/// messages without a connection, and ``sendOutcomes`` reports the outcome of each message.
///
/// **Life.** After `connect()` it stays connected, and reconnects, until `close()`, or until the
/// object and all subscriptions to it are released; then it closes with 1001.
public final class ReconnectingWebSocket: WebSocketType {
  // `update` changes the state machine under its lock. What follows from the change is performed on
  // the event loop or the scheduler.
  private let driver: ReconnectionDriver

  /// Creates a WebSocket, which `connect()` connects.
  ///
  /// - Parameters:
  ///   - connect: returns a new WebSocket for each attempt, as with a new token or to another
  ///     server; it may have connected the WebSocket already. An error is an outage like others.
  ///     `messages` does not deliver what this closure itself has received.
  ///   - strategy: number and delays of the attempts to connect again.
  ///   - log: receives each connection, its end and the next attempt, with the URL of the last
  ///     WebSocket, without secrets, if `connect` created one.
  ///   - configuration: all other options.
  public init(
    connect: @escaping @Sendable () async throws -> any WebSocketType,
    strategy: ReconnectionStrategy = .exponential(),
    log: WebSocketLog = .none,
    configuration: ReconnectionConfiguration = .init()
  ) {
    driver = ReconnectionDriver(connect, strategy, log, configuration)
  }

  deinit { close(code: .goingAway) }

  // MARK: Beginning and ending

  /// Begins to connect, the first time it is called.
  public func connect() { driver.update { machine in machine.connect() } }

  /// Ends a wait for the next attempt: it begins now, and attempts are counted from 0 again.
  ///
  /// For when the network or the app is active again; does nothing while there is no wait.
  public func reconnectNow() { driver.update { machine in machine.reconnectNow() } }

  /// Closes for good; the state has changed when this returns.
  ///
  /// An attempt to connect is abandoned, and the wait for one ends at once. A connection ends once
  /// the peer has closed too, or ``WebSocketConfiguration/closeTimeout`` has passed.
  ///
  /// - Parameters:
  ///   - code: close code; 1000 by default.
  ///   - reason: text for logs; cut to 123 bytes of UTF-8.
  public func close(code: CloseCode = .normal, reason: String = "") {
    driver.update { machine in machine.close(code, reason) }
  }

  /// Sends a message, or keeps it for the next connection; ``sendOutcomes`` reports its outcome.
  ///
  /// - Throws: `backlogFull` when the policy's limit is reached; `notConnected` when the policy is
  ///   `fail` and there is no connection, or when the WebSocket has ended.
  public func send(_ message: WebSocketMessage) throws(WebSocketError) {
    _ = try sendNumbered(message)
  }

  /// Sends a message as ``send(_:)`` does, and returns the number with which ``sendOutcomes``
  /// reports its outcome.
  ///
  /// The outcome may be reported before this returns. The name differs from `send`, since a result
  /// of `send` would be a warning in each `try? socket.send(...)`.
  public func sendNumbered(_ message: WebSocketMessage) throws(WebSocketError) -> Int {
    try driver.update { machine throws(WebSocketError) in try machine.send(message) }
  }

  // MARK: Observing

  /// The current state; it is `disconnected` also during the wait for the next attempt.
  public var state: WebSocketState { reconnectionState.webSocketState }

  /// The state, beginning with the current one; completes after the last `disconnected`.
  public var states: Observable<WebSocketState> {
    reconnectionStates.map(\.webSocketState).distinctUntilChanged()
  }

  /// The current state with attempt and delay.
  ///
  /// It changes before `reconnectionStates`, `states` and `events` emit the change.
  public var reconnectionState: ReconnectionState { driver.state }

  /// The state with attempt and delay, beginning with the current one; completes after
  /// `disconnected`.
  public var reconnectionStates: Observable<ReconnectionState> {
    driver.states.observable(keeping: self)
  }

  /// The events of all connections, one after the other; `connected` is emitted for each.
  ///
  /// Completes after the last `disconnected` and never fails.
  public var events: Observable<WebSocketEvent> { driver.events.observable(keeping: self) }

  /// The messages of all connections, except for the replies to requests.
  ///
  /// Completes when either side has closed for good; fails with the final ``WebSocketError``.
  public var messages: Observable<WebSocketMessage> { driver.messages.observable(keeping: self) }

  /// The requests that wait for replies, and their counts.
  public var pendingRequests: PendingRequests { driver.pendingRequests }

  /// The outcome of each message that `send` took, from now on; completes at the end.
  public var sendOutcomes: Observable<SendOutcome> { driver.sendOutcomes.observable(keeping: self) }

  /// The subprotocol of the current connection; nil while there is none.
  public var subprotocol: String? { driver.socket?.subprotocol }

  /// The number of connections after the first.
  public var reconnects: Int { max(driver.connections - 1, 0) }
}
