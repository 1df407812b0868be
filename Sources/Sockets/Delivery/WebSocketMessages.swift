/// The messages of a WebSocket as an async sequence: ``WebSocket/values``.
///
/// Messages are read from the peer no faster than iterators take them. The sequence keeps the
/// WebSocket alive. It ends when the WebSocket is closed, and throws once when it breaks; the
/// iteration of a cancelled task ends. Iterators of one sequence share its messages: each message
/// goes to one of them.
public struct WebSocketMessages: AsyncSequence, Sendable {
  let socket: WebSocket
  let window: BoundedMessageBuffer

  /// An iterator over the messages that no iterator has taken yet.
  public func makeAsyncIterator() -> Iterator { Iterator(messages: self) }

  /// Takes messages of the sequence, one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let messages: WebSocketMessages
    private var hasEnded = false

    fileprivate init(messages: WebSocketMessages) { self.messages = messages }

    /// The next message; nil at the end, and when the task is cancelled.
    ///
    /// - Throws: the error that the WebSocket failed with, once; nil follows.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(WebSocketError) -> WebSocketMessage? {
      if hasEnded { return nil }
      switch await messages.window.next(isolation: actor) {
      case .message(let message): return message
      case .cancelled: return nil
      case .ended(let error):
        hasEnded = true
        if let error { throw error }
        return nil
      }
    }
  }
}
