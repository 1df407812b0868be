extension ObservableConvertibleType where Element == WebSocketMessage {
  /// The messages as an async sequence, for `for try await`, with a buffer of 16 messages.
  ///
  /// While the buffer is full, a ``WebSocket`` stops reading from the peer, until half of it is
  /// taken. The messages of a ``ReconnectingWebSocket``, and those behind `share` or a subject, are
  /// queued beyond the limit. ``WebSocket/values`` also counts bytes. When the task is cancelled,
  /// the iteration throws `CancellationError` after the buffered messages.
  public var values: BufferedValues<WebSocketMessage> { values(buffer: .bounded(16, .suspend)) }
}
