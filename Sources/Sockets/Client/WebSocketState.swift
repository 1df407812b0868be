/// The state of a WebSocket.
public enum WebSocketState: Hashable, Codable, Sendable {
  /// `connect()` was not called yet.
  case idle
  /// The connection or its handshake is in progress.
  case connecting
  /// Messages can be sent and received.
  case connected
  /// One side has begun to close; messages under way are delivered.
  case disconnecting
  /// There is no connection: the WebSocket has ended or, if it reconnects, may try again.
  case disconnected
}

/// The events of a WebSocket, in order: `connected`, messages, an `error` if it fails,
/// `disconnected`.
public enum WebSocketEvent: Hashable, Codable, Sendable {
  /// The handshake is done.
  case connected
  /// A message arrived.
  case message(WebSocketMessage)
  /// The WebSocket failed; `disconnected` follows once the peer has closed, within `closeTimeout`.
  ///
  /// `closeCodeNotSendable` is reported here too, and has no further effect.
  case error(WebSocketError)
  /// The WebSocket has ended.
  ///
  /// The code is that of the peer's close frame, or `.noStatus` when the frame had none. When the
  /// peer broke the protocol it is the code that was sent to the peer. Without a close frame it is
  /// `.abnormal`.
  case disconnected(code: CloseCode, reason: String)
}
