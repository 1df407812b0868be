/// Where a WebSocket is in its life.
public enum WebSocketState: Hashable, Sendable {
  /// `connect()` was not called yet.
  case idle
  /// On the way to the peer, or waiting for its handshake.
  case connecting
  /// Messages go both ways.
  case connected
  /// One side has said that it closes; what is still under way is delivered.
  case disconnecting
  /// Over, for good: connect a new WebSocket.
  case disconnected
}

/// What happens to a WebSocket, in order: `connected`, messages, perhaps an `error`, and
/// `disconnected` at last.
public enum WebSocketEvent: Hashable, Sendable {
  /// The handshake is done.
  case connected
  /// A message came.
  case message(WebSocketMessage)
  /// Something went wrong; `disconnected` follows once the peer has gone too, within `closeTimeout`.
  ///
  /// After `closeCodeNotSendable` nothing is wrong but that code.
  case error(WebSocketError)
  /// It is over.
  ///
  /// The code is the one in the peer's close frame, `.noStatus` when that had none; the one that the
  /// peer was told when it broke the protocol; and `.abnormal` when there was no close frame.
  case disconnected(code: CloseCode, reason: String)
}
