/// The state of a ``ReconnectingWebSocket``, with attempt and delay.
///
/// ``webSocketState`` is the same without them, as for every WebSocket.
public enum ReconnectionState: Hashable, Codable, Sendable {
  /// `connect()` was not called yet.
  case idle
  /// An attempt is in progress; `retry` is 0 for the first, otherwise its number since the failure.
  case connecting(retry: Int)
  /// Messages can be sent and received.
  case connected
  /// One side has begun to close; messages under way are delivered.
  case disconnecting
  /// Attempt `retry`, counted from 1, begins after `delay`.
  ///
  /// `error` ended the last connection; nil when the peer closed it.
  case waitingToReconnect(retry: Int, delay: Duration, error: WebSocketError?)
  /// Disconnected for good: by an error, or closed by either side.
  case disconnected(WebSocketError?)

  /// The state that every WebSocket has; `disconnected` for `waitingToReconnect` too.
  public var webSocketState: WebSocketState {
    switch self {
    case .idle: .idle
    case .connecting: .connecting
    case .connected: .connected
    case .disconnecting: .disconnecting
    case .waitingToReconnect, .disconnected: .disconnected
    }
  }
}
