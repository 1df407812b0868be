/// The options of a ``ReconnectingWebSocket`` besides its strategy.
public struct ReconnectionConfiguration: Sendable {
  /// The treatment of messages that are sent without a connection: up to 256 are queued.
  public var backlog = BacklogPolicy.queue(limit: 256)
  /// How long a connection has to last until attempts are counted from 0 again: 5 seconds.
  ///
  /// So attempts at a server that accepts and closes at once are limited, and have growing delays.
  public var stableAfter: Duration = .seconds(5)
  /// The time for a whole attempt: 30 seconds.
  ///
  /// It covers the connect closure, the connection with its handshake, and the resume hook.
  public var attemptTimeout: Duration = .seconds(30)
  /// Whether another attempt follows an outage; ``WebSocketOutage/isTransient`` by default.
  ///
  /// When it returns false, the WebSocket ends.
  public var shouldReconnect: @Sendable (WebSocketOutage) -> Bool = { $0.isTransient }
  /// Runs on each new connection before queued messages are sent.
  ///
  /// For example it logs in, or asks for missed events.
  ///
  /// Until it returns, messages that are sent on the ``ReconnectingWebSocket`` are treated as
  /// without a connection. An error ends the attempt as if the connection had failed.
  public var resume: (@Sendable (any WebSocketType) async throws -> Void)?
  /// The clock of delays and deadlines, which then also delivers.
  ///
  /// The default is the clock of the composer or test that creates the WebSocket, or else the
  /// system's.
  public var scheduler: (any SchedulerType)?
  /// Returns numbers from 0 up to, not including, 1 for the jitter.
  ///
  /// The default draws from `Dependencies.random` of the composer or test that creates the
  /// WebSocket, or else from the system.
  public var random: (@Sendable () -> Double)?

  /// Creates a configuration of defaults.
  public init() {}
}

/// The treatment of messages that are sent without a connection.
public enum BacklogPolicy: Hashable, Sendable {
  /// Up to `limit` messages wait for the next connection; `send` throws for more.
  case queue(limit: Int)
  /// Up to `limit` messages wait for the next connection; beyond that the oldest are dropped.
  case dropOldest(limit: Int)
  /// `send` throws, also while the resume hook runs.
  case fail

  /// The most messages that wait.
  var limit: Int {
    switch self {
    case .queue(let limit), .dropOldest(let limit): limit
    case .fail: 0
    }
  }
}

/// The outcome of a message that a ``ReconnectingWebSocket`` took.
///
/// Every message has one result: `send` throws for it, or one outcome is emitted.
public struct SendOutcome: Hashable, Sendable {
  /// The result of sending a message.
  public enum Outcome: Hashable, Sendable {
    /// The message was passed to a connection.
    ///
    /// The last messages of a connection that breaks may not arrive: only the peer knows.
    case sent
    /// A newer message replaced it before there was a connection.
    case dropped
    /// The message was not sent: the WebSocket has ended, or the policy is `fail` and the
    /// connection ended.
    case failed(WebSocketError)
  }

  /// The message's position among all messages that were taken, counted from 1.
  public let number: Int
  /// The message itself.
  public let message: WebSocketMessage
  /// The result of sending it.
  public let outcome: Outcome
}
