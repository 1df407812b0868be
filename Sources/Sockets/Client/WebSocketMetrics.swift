/// What has gone through a WebSocket so far, at one moment.
public struct WebSocketMetrics: Hashable, Sendable {
  /// Frames that came, control frames too.
  public var framesReceived = 0
  /// Frames that were sent or wait to be written, control frames too.
  public var framesSent = 0
  /// Messages that came, whole.
  public var messagesReceived = 0
  /// Messages that were sent or wait to be written, also those that a close has then dropped.
  public var messagesSent = 0
  /// Bytes that came, with the handshake and the frames' headers, without TLS.
  public var bytesReceived = 0
  /// Bytes that were written, with the handshake and the frames' headers, without TLS.
  public var bytesSent = 0
  /// Bytes that wait to be written.
  public var queuedBytes = 0
  /// How long the last pong took that answered ``WebSocket/ping()`` or the keepalive; nil before.
  public var roundTripTime: Duration?
}
