#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What waits is cancelled with its task, and then has done nothing.

/// The life of a WebSocket, awaited.
extension WebSocket {
  /// Connects, unless that has begun, and returns once messages go both ways.
  ///
  /// Cancelled, it throws `CancellationError`, and the WebSocket goes on connecting: `close()` ends that.
  ///
  /// - Throws: the ``WebSocketError`` that it failed with; `notConnected` when it was closed.
  public func connected() async throws {
    connect()
    for try await told in states.values {
      // It changes before it is told.
      let state = told == .connected ? self.state : told
      switch state {
      case .idle, .connecting: continue
      case .connected: return
      case .disconnecting, .disconnected: throw driver.outcome?.error ?? .notConnected(state)
      }
    }
    throw CancellationError()
  }

  /// Returns once it is over, with the code and reason of ``WebSocketEvent/disconnected(code:reason:)``.
  ///
  /// It closes nothing itself. `close()` is in effect before it returns; then this waits for the peer,
  /// `closeTimeout` at most:
  ///
  /// ```swift
  /// socket.close(reason: "bye")
  /// try await socket.closed()
  /// ```
  ///
  /// - Throws: `CancellationError` only.
  @discardableResult
  public func closed() async throws -> (code: CloseCode, reason: String) {
    for try await state in states.values where state == .disconnected {
      let outcome = driver.outcome ?? CloseOutcome()
      return (outcome.code, outcome.reason)
    }
    throw CancellationError()
  }

  /// Sends a ping, and returns how long its pong took to come.
  ///
  /// A pong of a later ping counts, as a peer may answer the last one only.
  ///
  /// - Throws: `notConnected` when it is not connected, or is not any more before the pong comes;
  ///   `CancellationError`.
  @discardableResult
  public func ping() async throws -> Duration { try await driver.ping() }
}

/// Receiving without an observer.
extension WebSocket {
  /// The messages, read no faster than they are taken, for `for try await`.
  ///
  /// It observes from here on: each value of this property receives all that comes after it was made,
  /// and is for one consumer. While one has 16 messages or 1 MiB to take, nothing more is read from
  /// the peer; pings that came before are answered, and `close()` takes
  /// effect. What then comes until the peer closes too, and does not fit, is left out.
  public var values: WebSocketMessages {
    WebSocketMessages(socket: self, window: BoundedMessageBuffer(streams, driver))
  }

  /// The next message, as soon as there is one.
  ///
  /// The first call observes; from there on messages wait for the next call, as they do for `values`:
  /// whoever begins to receive goes on until it throws. What came before it is there if nobody has
  /// observed yet: with other observers about, begin to receive before you send what is answered. Of several tasks that receive, each gets other
  /// messages. A cancelled call takes none.
  ///
  /// - Throws: the ``WebSocketError`` that it broke with, `closed` when it was closed, each time it
  ///   is called after the last message; `CancellationError`.
  public func receive() async throws -> WebSocketMessage {
    let window = inbox.object { Inbox(nil) }.withLock { window in
      let made = window ?? BoundedMessageBuffer(streams, driver)
      window = made
      return made
    }
    switch await window.next() {
    case .message(let message): return message
    case .cancelled: throw CancellationError()
    case .ended(let error):
      let outcome = driver.outcome ?? CloseOutcome()
      throw error ?? .closed(code: outcome.code, reason: outcome.reason)
    }
  }

  typealias Inbox = Locked<BoundedMessageBuffer?>
}

/// Sending no faster than the peer takes.
extension WebSocket {
  /// Whether less waits to be sent than `sendHighWaterMark` or, after more, than half of it.
  public var isWritable: Bool { driver.isWritable }

  /// Whether there is room to send more, beginning with the current; completes after `disconnected`.
  public var writability: Observable<Bool> {
    Observable(.direct) { [self] down in
      retain(until: down)
      streams.writability(isWritable: isWritable).add(down, replaysAfterEnd: true)
      // What has changed meanwhile was told to nobody; and after a write that is under way it is looked at
      // again.
      driver.loop.execute { [driver] in driver.flushAndBalance() }
    }
  }

  /// Sends a message once there is room for it: while less waits to be written than
  /// `sendHighWaterMark`, at once, otherwise when half of that has left.
  ///
  /// Those who wait are served in the order in which they came; `send` passes them. A cancelled call has
  /// sent the whole message or, if it throws, nothing.
  ///
  /// It is not called `send`, because of two functions of one name Swift takes the async one wherever
  /// it can, so that `send` could not be called without waiting any more.
  ///
  /// - Throws: `notConnected` when it is not connected, or is not any more before there is room;
  ///   `CancellationError`.
  public func sendWhenWritable(_ message: WebSocketMessage) async throws {
    try await driver.sendWhenWritable(.message(message))
  }

  /// Sends a text message once there is room for it.
  public func sendWhenWritable(_ text: String) async throws {
    try await sendWhenWritable(.text(text))
  }

  /// Sends a binary message once there is room for it.
  public func sendWhenWritable(_ data: Data) async throws {
    try await sendWhenWritable(.binary(data))
  }

  /// Sends the texts of a sequence as one text message, each as a fragment, as soon as it comes and
  /// there is room.
  ///
  /// The message ends with the sequence. From its first fragment on all other messages wait, and count
  /// as waiting to be sent; pings, pongs and the close frame go between. Fragments are not compressed.
  /// What was begun cannot be taken back: when the sequence throws, or the task is cancelled, the
  /// WebSocket closes with 1011. However it closes before the last fragment, what waits is not sent.
  ///
  /// - Throws: what the sequence throws; `notConnected`, `CancellationError`.
  public func sendFragments<Texts: AsyncSequence>(
    of texts: Texts,
    isolation: isolated (any Actor)? = #isolation
  ) async throws where Texts.Element == String {
    try await sendFragments(.text, of: texts) { Data($0.utf8) }
  }

  /// Sends the data of a sequence as one binary message; otherwise as `sendFragments(of:)` of texts.
  public func sendFragments<Parts: AsyncSequence>(
    of parts: Parts,
    isolation: isolated (any Actor)? = #isolation
  ) async throws where Parts.Element == Data {
    try await sendFragments(.binary, of: parts) { $0 }
  }

  private func sendFragments<Parts: AsyncSequence>(
    _ opcode: Opcode,
    of parts: Parts,
    isolation: isolated (any Actor)? = #isolation,
    bytes: (Parts.Element) -> Data
  ) async throws {
    var hasBegun = false
    do {
      var iterator = parts.makeAsyncIterator()
      while let part = try await iterator.next(isolation: isolation) {
        let fragment = PendingOperations.Send.fragment(opcode, bytes(part), isFinal: false)
        try await driver.sendWhenWritable(fragment, continuing: hasBegun)
        hasBegun = true
      }
      // Which part is the last one is known when there is no other.
      let end = PendingOperations.Send.fragment(opcode, Data(), isFinal: true)
      try await driver.sendWhenWritable(end, continuing: hasBegun)
    } catch {
      if hasBegun { close(code: .internalError, reason: "a message came to no end") }
      throw error
    }
  }
}
