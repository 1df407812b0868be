/// What one async consumer has not taken yet of the messages.
///
/// Once 16 messages or more than 1 MiB wait, nothing more is read, until half of it is taken. The loop fills
/// it, any task takes.
final class BoundedMessageBuffer: @unchecked Sendable {
  /// What a consumer gets.
  enum Outcome {
    case message(WebSocketMessage)
    /// There are no more; the error is nil when the WebSocket was closed.
    case ended(WebSocketError?)
    /// The task was cancelled, and has taken nothing.
    case cancelled
  }

  private struct State {
    var queue = Fifo<WebSocketMessage>()
    var bytes = 0
    var isFull = false
    var fullSince = Duration.zero
    /// Whether something was left out: nothing may follow it.
    var isCut = false
    var ending: Outcome?
    var tasks = WaitingTasks<Void, Void>()

    /// What counts of it: a message without bytes is kept, too.
    var heldBytes: Int { bytes + queue.count }
  }

  private static let limit = 16
  private static let bytesLimit = 1 << 20
  /// A consumer that is this slow has one more message read for each that it takes, so that the peer sees
  /// that something is taken.
  private static let longestPause = Duration.seconds(1)

  private let state = Locked(State())
  private let streams: SocketStreams
  /// Of the server, whose memory it is.
  private let budget: ReceiveBudget?
  private let driver: ConnectionDriver
  private let lifetime = Lifetime()

  /// A window on what comes from now on, and on what was kept if nobody has observed before.
  init(_ streams: SocketStreams, _ driver: ConnectionDriver) {
    self.streams = streams
    self.driver = driver
    budget = driver.registry?.budget
    // Weak: a consumer that is gone must not keep its window.
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
      // Only a WebSocket that closes reads past a full window; what nobody takes must not pile up.
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
        // Before anybody can take from it, and count it as drained.
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
    if isLeft { driver.registry?.note(left: self) }
    for continuation in waiting { continuation.resume() }
  }

  /// Ends with this error at once, and drops what is not taken.
  ///
  /// From any thread.
  func giveUp(_ error: WebSocketError) {
    let (waiting, dropped) = state.withLock { state in
      state.ending = .ended(error)
      change(by: -state.heldBytes)
      state.bytes = 0
      var dropped = Fifo<WebSocketMessage>()
      swap(&dropped, &state.queue)
      return (state.tasks.removeAll(), dropped)
    }
    // Released here, unlocked.
    withExtendedLifetime(dropped) {}
    for continuation in waiting { continuation.resume() }
  }

  /// How many bytes of messages are in it, and one for each message.
  var bytes: Int { state.withLock { $0.heldBytes } }

  private func change(by bytes: Int) {
    streams.windowChanged(by: bytes)
    budget?.change(by: bytes)
  }

  // MARK: Taking, by any task

  /// The next message, as soon as there is one.
  ///
  /// Nothing is lost by cancelling: a task that waits is woken first and takes then, unless it was
  /// cancelled meanwhile.
  func next(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
    while true {
      if Task.isCancelled {
        wakeNext()
        return .cancelled
      }
      if let outcome = take() { return outcome }
      let task = WaitingTask<Void>()
      // It throws when it is cancelled, which is seen above.
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

  /// A task that was woken and takes nothing leaves it to another one.
  private func wakeNext() {
    state.withLock { $0.queue.isEmpty ? nil : $0.tasks.popFirst()?.continuation }?.resume()
  }
}
