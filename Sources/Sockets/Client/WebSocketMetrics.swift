/// The counts of a WebSocket at one moment.
public struct WebSocketMetrics: Hashable, Sendable {
  /// Received frames, control frames included.
  public var framesReceived = 0
  /// Frames that were sent or queued, control frames included.
  public var framesSent = 0
  /// Received messages, each counted when it is complete.
  public var messagesReceived = 0
  /// Messages that were sent or queued, including those that a close discarded.
  public var messagesSent = 0
  /// Received bytes, with the handshake and the frames' headers, without TLS.
  public var bytesReceived = 0
  /// Written bytes, with the handshake and the frames' headers, without TLS.
  public var bytesSent = 0
  /// Bytes that are queued or being written.
  public var queuedBytes = 0
  /// The round trip of the last answered ``WebSocket/ping()`` or keepalive ping; nil before.
  public var roundTripTime: Duration?
}
