/// What a ``ReconnectingWebSocket`` does besides connecting again.
public struct ReconnectionConfiguration: Sendable {
  /// What becomes of messages that are sent while there is no connection: up to 256 wait for it.
  public var backlog = BacklogPolicy.queue(limit: 256)
  /// How long a connection has to hold until attempts are counted from 0 again: 5 seconds.
  ///
  /// A server that accepts and closes at once is not called upon for ever, nor without a delay.
  public var stableAfter: Duration = .seconds(5)
  /// How long an attempt may take altogether: the connect closure, the connection and its handshake, and
  /// the resume hook; 30 seconds.
  public var attemptTimeout: Duration = .seconds(30)
  /// Whether an outage is worth another attempt; ``WebSocketOutage/isTransient`` by default.
  ///
  /// When it is not, the WebSocket has ended.
  public var shouldReconnect: @Sendable (WebSocketOutage) -> Bool = { $0.isTransient }
  /// Runs on each new connection before anything else is sent on it: logs in, or asks for what was
  /// missed since the last event's id.
  ///
  /// Until it returns, what is sent on the ``ReconnectingWebSocket`` is treated as before the connection;
  /// an error ends the attempt as if the connection had failed.
  public var resume: (@Sendable (any WebSocketType) async throws -> Void)?
  /// The clock of delays and deadlines, which then also delivers; that of the composer or the test
  /// where the WebSocket is made by default, and the system's elsewhere.
  public var scheduler: (any SchedulerType)?
  /// Numbers from 0 up to 1, without 1, for the jitter of the delays; the system's by default.
  public var random: @Sendable () -> Double = { .random(in: 0..<1) }

  /// The defaults.
  public init() {}
}

/// What becomes of messages that are sent while there is no connection.
public enum BacklogPolicy: Hashable, Sendable {
  /// Up to `limit` wait for the next connection; `send` throws for more.
  case queue(limit: Int)
  /// Up to `limit` wait for the next connection; for more, the oldest ones are dropped.
  case dropOldest(limit: Int)
  /// `send` throws, also as long as the resume hook runs.
  case fail
}

/// What has become of a message that a ``ReconnectingWebSocket`` took.
///
/// Every message has one fate: `send` throws for it, or it is told here once.
public struct SendOutcome: Hashable, Sendable {
  /// What has become of it.
  public enum Outcome: Hashable, Sendable {
    /// It was handed to a connection.
    ///
    /// What a connection was handed last may not arrive when the connection breaks: only the peer can tell.
    case sent
    /// It gave way to newer ones before there was a connection.
    case dropped
    /// It was never sent, as the WebSocket has ended.
    case failed(WebSocketError)
  }

  /// The how many-th of the messages that were taken, counted from 1.
  public let number: Int
  /// The message.
  public let message: WebSocketMessage
  /// What has become of it.
  public let outcome: Outcome
}

/// Where a ``ReconnectingWebSocket`` is.
public enum ReconnectionStatus: Hashable, Sendable {
  /// `start()` was not called yet.
  case idle
  /// On the way to the peer: 0 for the first time, otherwise the how many-th attempt after the failure.
  case connecting(retry: Int)
  /// Messages go both ways.
  case connected
  /// One side has said that it closes; what is still under way is delivered.
  case disconnecting
  /// Attempt `retry`, counted from 1, begins after `delay`.
  ///
  /// `error` is what ended the last connection; nil when the peer closed it.
  case waiting(retry: Int, delay: Duration, error: WebSocketError?)
  /// Over, for good: with an error, or closed by one of the sides.
  case ended(WebSocketError?)

  /// The same in the words that all WebSockets have.
  public var state: WebSocketState {
    switch self {
    case .idle: .idle
    case .connecting: .connecting
    case .connected: .connected
    case .disconnecting: .disconnecting
    case .waiting, .ended: .disconnected
    }
  }
}
