/// The messages that one async consumer has not taken yet.
///
/// Once it holds 16 messages or more than 1 MiB, reading pauses until half of that is taken. The
/// loop fills the buffer; any task takes from it.
final class BoundedMessageBuffer: @unchecked Sendable {
  /// What a consumer receives.
  enum Outcome {
    case message(WebSocketMessage)
    /// There are no more messages; the error is nil when the WebSocket was closed.
    case ended(WebSocketError?)
    /// The task was cancelled, and has taken no message.
    case cancelled
  }

  private struct State {
    var queue = Fifo<WebSocketMessage>()
    var bytes = 0
    var isFull = false
    var fullSince = Duration.zero
    /// Whether a message was discarded; no later message may be delivered after a gap.
    var isCut = false
    var ending: Outcome?
    var tasks = WaitingTasks<Void, Void>()

    /// The size that counts towards limits: one extra for each message, since empty ones take
    /// memory too.
    var heldBytes: Int { bytes + queue.count }
  }

  private static let limit = 16
  private static let bytesLimit = 1 << 20
  /// How long the buffer may be full before each taken message resumes reading.
  ///
  /// With a consumer this slow the peer still sees that its bytes are taken.
  private static let longestPause = Duration.seconds(1)

  private let state = Locked(State())
  private let streams: SocketStreams
  /// The memory budget of the server; nil for a client.
  private let budget: ReceiveBudget?
  private let driver: ConnectionDriver
  private let lifetime = Lifetime()

  /// Creates a buffer for all later messages and, for a first observer, the backlog.
  init(_ streams: SocketStreams, _ driver: ConnectionDriver) {
    self.streams = streams
    self.driver = driver
    budget = driver.registry?.budget
    // Weak: the subscription must not keep the buffer of a consumer that was released.
    let observer = lifetime.observer(
      next: { [weak self] message in self?.put(message) },
      end: { [weak self] error in self?.end(error as? WebSocketError) }
    )
    streams.messages.add(observer)
    if streams.noteObserver(ofFrames: false) { driver.resume() }
  }

  deinit {
    lifetime.dispose()
    change(by: -state.withLock { $0.heldBytes })
    if state.withLock({ $0.isFull }), streams.windowDrained() { driver.resume() }
  }

  // MARK: Filling, on the loop

  private func put(_ message: WebSocketMessage) {
    let waiting = state.withLock { state -> WaitingTasks<Void, Void>.Continuation? in
      // Only a closing WebSocket reads past a full window. Its messages are discarded from the
      // first one that does not fit.
      if state.isCut || state.isFull && streams.discards {
        state.isCut = true
        return nil
      }
      state.queue.append(message)
      state.bytes += message.byteCount
      change(by: message.byteCount + 1)
      let isFilled =
        !state.isFull && (state.queue.count >= Self.limit || state.bytes > Self.bytesLimit)
      if isFilled {
        state.isFull = true
        state.fullSince = driver.clock.now
        // Counted under the lock, before a consumer can take a message and count the drain.
        streams.windowFilled()
      }
      return state.tasks.popFirst()?.continuation
    }
    waiting?.resume()
  }

  private func end(_ error: WebSocketError?) {
    if let error, case .overBudget = error { return giveUp(error) }
    let (waiting, isLeft) = state.withLock { state in
      state.ending = .ended(error)
      return (state.tasks.removeAll(), !state.queue.isEmpty)
    }
    if isLeft { driver.registry?.note(unread: self) }
    for continuation in waiting { continuation.resume() }
  }

  /// Ends with this error at once, and discards the messages that were not taken.
  ///
  /// Callable on any thread.
  func giveUp(_ error: WebSocketError) {
    let (waiting, dropped) = state.withLock { state in
      state.ending = .ended(error)
      change(by: -state.heldBytes)
      state.bytes = 0
      var dropped = Fifo<WebSocketMessage>()
      swap(&dropped, &state.queue)
      return (state.tasks.removeAll(), dropped)
    }
    // Released after unlocking.
    withExtendedLifetime(dropped) {}
    for continuation in waiting { continuation.resume() }
  }

  /// The bytes of messages in the buffer, plus one for each message.
  var bytes: Int { state.withLock { $0.heldBytes } }

  private func change(by bytes: Int) {
    streams.windowChanged(by: bytes)
    budget?.change(by: bytes)
  }

  // MARK: Taking, by any task

  /// Returns the next message, and waits for one if there is none.
  ///
  /// Cancelling loses no message: a waiting task is resumed first and takes the message then,
  /// unless it was cancelled meanwhile.
  func next(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
    while true {
      if Task.isCancelled {
        wakeNext()
        return .cancelled
      }
      if let outcome = take() { return outcome }
      let task = WaitingTask<Void>()
      // A cancelled wait does not throw past this line: the loop checks for cancellation.
      try? await task.wait(begin: { park(task, $0) }, cancelled: { self.giveUp(task) })
    }
  }

  private func take() -> Outcome? {
    let (outcome, isDrained) = state.withLock { state -> (Outcome?, Bool) in
      guard let message = state.queue.popFirst() else { return (state.ending, false) }
      state.bytes -= message.byteCount
      change(by: -message.byteCount - 1)
      let isHalfEmpty = state.queue.count <= Self.limit / 2 && state.bytes <= Self.bytesLimit / 2
      let isDrained =
        state.isFull
        && (isHalfEmpty
          || state.bytes <= Self.bytesLimit
            && driver.clock.now - state.fullSince >= Self.longestPause)
      if isDrained { state.isFull = false }
      return (.message(message), isDrained)
    }
    if isDrained, streams.windowDrained() { driver.resume() }
    return outcome
  }

  private func park(
    _ task: WaitingTask<Void>,
    _ continuation: WaitingTasks<Void, Void>.Continuation
  ) {
    let waits = state.withLock { state in
      guard state.queue.isEmpty, state.ending == nil, !Task.isCancelled else { return false }
      state.tasks.add((), for: task, continuation)
      return true
    }
    if !waits { continuation.resume() }
  }

  private func giveUp(_ task: WaitingTask<Void>) {
    state.withLock { _ in task.cancel() }?.resume()
  }

  /// Resumes another task, after a resumed task was cancelled before it took the message.
  private func wakeNext() {
    state.withLock { $0.queue.isEmpty ? nil : $0.tasks.popFirst()?.continuation }?.resume()
  }
}
