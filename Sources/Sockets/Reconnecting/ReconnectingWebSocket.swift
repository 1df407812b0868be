#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A WebSocket that connects again when its connection is lost.
///
/// ```swift
/// let socket = ReconnectingWebSocket {
///   let token = try await session.token()  // anew for each attempt
///   return WebSocket("wss://example.com/chat", configuration: .init(headers: ["Authorization": token]))
/// }
/// socket.messages.subscribe(onNext: { print($0) }).disposed(by: bag)
/// socket.start()
/// try socket.send("hello")  // waits for the connection
/// ```
///
/// There is one connection at a time, and a delay that grows between them: see ``ReconnectionStrategy``.
/// What passes by itself is tried again, other failures are the end: see ``WebSocketOutage/isTransient``.
/// A subscription to `events`, `messages` or `states` goes on from one connection to the next, and ends
/// when the WebSocket does:
/// - completed, when either side has closed for good (``stop()``, the peer's 1000);
/// - `messages` failed, with the error that is no use trying again after, or with
///   ``WebSocketError/gaveUp(attempts:last:)``.
///
/// **Delivery.** Everything is delivered on the event loop's thread, or where the configuration's
/// scheduler runs. What comes before the first observer of `messages`, or of `events`, is kept for it:
/// the last 16.
///
/// **Sending** may happen on any thread and never waits. What is sent while there is no connection is
/// treated by the ``BacklogPolicy``, and ``sendOutcomes`` tells what became of each message.
///
/// **Life.** It connects for as long as the object or a subscription to it lives; released, it closes
/// with 1001.
public final class ReconnectingWebSocket: WebSocketType {
  private let core: Reconnector

  /// A WebSocket that is connected by `start()`.
  ///
  /// - Parameters:
  ///   - connect: makes a new WebSocket for each attempt, connected or not: with a new token, or to another
  ///     server. What it throws is an outage like others; what it receives itself is not told again.
  ///   - strategy: how often and after which delays it connects again.
  ///   - log: told of each connection, its end, and the next attempt, with the URL of the last WebSocket, without
  ///     its secrets, if `connect` has made one.
  ///   - configuration: the rest.
  public init(
    connect: @escaping @Sendable () async throws -> any WebSocketType,
    strategy: ReconnectionStrategy = .exponential(),
    log: WebSocketLog = .none,
    configuration: ReconnectionConfiguration = .init()
  ) {
    core = Reconnector(connect, strategy, log, configuration)
  }

  deinit { close(code: .goingAway) }

  // MARK: Beginning and ending

  /// Begins to connect, the first time it is called.
  public func start() { core.decide { $0.start() } }

  /// Begins to connect, the first time it is called.
  public func connect() { start() }

  /// Ends a wait for the next attempt: it begins now, and attempts are counted from 0 again.
  ///
  /// For when the network is back, or the app in the foreground; does nothing while there is no wait.
  public func reconnectNow() { core.decide { $0.reconnectNow() } }

  /// Closes for good with 1000: in effect before it returns.
  ///
  /// An attempt, or the wait for one, ends at once; a connection, once the peer has closed too or its
  /// `closeTimeout` is over.
  public func stop() { close() }

  /// Closes for good: in effect before it returns.
  ///
  /// - Parameters:
  ///   - code: why; 1000 by default.
  ///   - reason: for people who read logs; cut to 123 bytes of UTF-8.
  public func close(code: CloseCode = .normal, reason: String = "") {
    core.decide { $0.close(code, reason) }
  }

  /// Sends a message, or lets it wait for a connection; ``sendOutcomes`` tells what became of it.
  ///
  /// - Throws: `backlogFull` when as many wait as the policy allows for, `notConnected` when the policy is
  ///   to fail, or when the WebSocket has ended.
  public func send(_ message: WebSocketMessage) throws(WebSocketError) {
    try core.decide { plan throws(WebSocketError) in try plan.send(message) }
  }

  // MARK: Observing

  /// The current status; it changes before `statuses`, `states` and `events` tell.
  public var status: ReconnectionStatus { core.status }

  /// The status with attempt and delay, beginning with the current one; completes after `ended`.
  public var statuses: Observable<ReconnectionStatus> { core.statuses.observable(keeping: self) }

  /// The current state: `disconnected` also while it waits for the next attempt.
  public var state: WebSocketState { status.state }

  /// The state, beginning with the current one; completes after the last `disconnected`.
  public var states: Observable<WebSocketState> {
    statuses.map(\.state).distinctUntilChanged()
  }

  /// What happens to all of the connections, one after the other: `connected` again each time.
  ///
  /// Completes after the last `disconnected` and never fails.
  public var events: Observable<WebSocketEvent> { core.events.observable(keeping: self) }

  /// The messages of all connections.
  ///
  /// Completes when either side has closed for good; fails with the ``WebSocketError`` that is the end.
  public var messages: Observable<WebSocketMessage> { core.messages.observable(keeping: self) }

  /// What becomes of each message that `send` took, from now on; completes at the end.
  public var sendOutcomes: Observable<SendOutcome> { core.sendOutcomes.observable(keeping: self) }

  /// The subprotocol of the current connection; nil while there is none.
  public var subprotocol: String? { core.socket?.subprotocol }

  /// How often it was connected again.
  public var reconnects: Int { max(core.connections - 1, 0) }

}
