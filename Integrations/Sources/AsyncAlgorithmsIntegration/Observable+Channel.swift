import AsyncAlgorithms
import Reactive

extension ObservableConvertibleType where Element: Sendable {
  /// Sends the elements to `channel`, each when a consumer takes it, and finishes the channel at the end.
  ///
  /// ```swift
  /// let channel = AsyncThrowingChannel<WebSocketMessage, any Error>()
  /// async let done: Void = socket.messages.send(to: channel)
  /// for try await message in channel.debounce(for: .seconds(1)) { show(message) }
  /// ```
  ///
  /// Between the observable and the channel is a buffer. With `suspend` a source that makes elements on
  /// demand, such as the messages of a WebSocket, pauses while the buffer is full. Other policies drop
  /// elements of a source that cannot pause.
  ///
  /// An error of the observable, or of a buffer with `fail`, fails the channel. When the task is
  /// cancelled, the subscription is disposed of and the channel is finished. When its consumer ends, the
  /// channel does not report it: cancel the task.
  ///
  /// - Parameters:
  ///   - channel: channel that no one else finishes
  ///   - buffer: elements that wait for the channel: 16 with `suspend`
  public func send(
    to channel: AsyncThrowingChannel<Element, any Error>,
    buffer: BufferingPolicy = .bounded(16, .suspend)
  ) async {
    do {
      for try await element in values(buffer: buffer) { await channel.send(element) }
      channel.finish()
    } catch is CancellationError where Task.isCancelled {
      channel.finish()
    } catch {
      channel.fail(error)
    }
  }

  /// Sends the elements to `channel`, each when a consumer takes it, and finishes the channel at the end.
  ///
  /// The channel cannot fail: it is finished, and the error is thrown. See
  /// ``send(to:buffer:)-(AsyncThrowingChannel<Element,Error>,_)`` for the rest.
  ///
  /// - Parameters:
  ///   - channel: channel that no one else finishes
  ///   - buffer: elements that wait for the channel: 16 with `suspend`
  /// - Throws: the error of the observable; `BufferOverflowError` of a buffer with `fail`;
  ///   `CancellationError` when the task is cancelled before the end.
  public func send(
    to channel: AsyncChannel<Element>, buffer: BufferingPolicy = .bounded(16, .suspend)
  ) async throws {
    defer { channel.finish() }
    for try await element in values(buffer: buffer) {
      await channel.send(element)
      // It returns early then.
      try Task.checkCancellation()
    }
    try Task.checkCancellation()
  }
}
