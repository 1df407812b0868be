import Foundation

/// Moves bytes between a transport and a connection, and tells the streams what comes.
///
/// It is the one place with a lock: whoever sends touches the connection under it, on any thread.
/// Everything is told on the loop's thread, outside of the lock.
final class Pump: TransportHandler, @unchecked Sendable {
  private enum Phase {
    case idle
    case opening(Opening)
    case open
    /// Told to the streams once the transport has closed.
    case ending(Ending)
    case ended
  }

  /// Why it ends.
  struct Ending {
    var error: WebSocketError?
    var code = CloseCode.abnormal
    var reason = ""
  }

  private let configuration: WebSocketConfiguration
  private let streams: SocketStreams
  private let opener: Opener
  private let deadline = SerialDisposable()

  // `lock` protects these.
  private let lock = Lock()
  private var phase = Phase.idle
  private var currentState = WebSocketState.idle
  private var untoldStates: [WebSocketState] = []
  private var connection: Connection
  /// The bytes of the handshake, which go before those of the connection.
  private var greeting = OutputBuffer()
  private var agreedSubprotocol: String?
  private var transport: (any Transport)?

  // Touched on the loop's thread only.
  private var held = HeldInput()
  private var isFlushDue = false
  private var isChoked = false

  /// More output than this, and nothing more is read until it is gone: a peer that asks for answers
  /// and does not take them must not fill the memory.
  private static let outputLimit = 1 << 20

  init(_ opener: Opener, _ configuration: WebSocketConfiguration, _ streams: SocketStreams) {
    self.opener = opener
    self.configuration = configuration
    self.streams = streams
    connection = Connection(opener.role, messageLimit: configuration.messageLimit)
  }

  /// The state; it changes before it is told.
  var state: WebSocketState { lock.withLock { currentState } }

  /// The subprotocol that was agreed upon.
  var subprotocol: String? { lock.withLock { agreedSubprotocol } }

  private var loop: EventLoop { opener.loop }

  /// For those who do not hold the lock.
  private var currentTransport: (any Transport)? { lock.withLock { transport } }

  // MARK: States

  /// Changes the state.
  ///
  /// The caller holds the lock, and sees to it that `tellStates` is called on the loop.
  private func advance(to state: WebSocketState) {
    guard state != currentState else { return }
    currentState = state
    untoldStates.append(state)
  }

  private func tellStates() {
    let states = lock.withLock {
      defer { untoldStates = [] }
      return untoldStates
    }
    for state in states { streams.states.next(state) }
  }

  private func startDeadline(_ limit: Duration, _ expired: @escaping @Sendable () -> Void) {
    if let scheduler = configuration.scheduler {
      deadline.disposable = scheduler.after(
        .nanoseconds(Int(clamping: limit.wholeNanoseconds)),
        expired
      )
    } else {
      let timer = loop.schedule(after: limit, expired)
      deadline.disposable = Disposables.create { timer.cancel() }
    }
  }
}

// MARK: - Opening

extension Pump {
  /// Begins to connect, the first time it is called.
  func connect() {
    lock.lock()
    guard case .idle = phase else { return lock.unlock() }
    advance(to: .connecting)
    do throws(WebSocketError) {
      let (transport, opening) = try opener.open(configuration)
      self.transport = transport
      phase = .opening(opening)
      lock.unlock()
      loop.execute { self.tellStates() }
      startDeadline(configuration.handshakeTimeout) { self.handshakeExpired() }
      transport.start(self)
    } catch {
      phase = .ending(Ending(error: error))
      lock.unlock()
      loop.execute { self.transportClosed(nil) }
    }
  }

  private func handshakeExpired() {
    lock.lock()
    guard case .opening = phase else { return lock.unlock() }
    phase = .ending(Ending(error: .handshakeTimedOut(after: configuration.handshakeTimeout)))
    lock.unlock()
    currentTransport?.close()
  }

  func transportOpened() {
    lock.withLock {
      guard case .opening(.client(let handshake)) = phase else { return }
      handshake.request.withUnsafeBytes { greeting.append($0) }
      flush()
    }
  }

  /// Takes the bytes of the handshake off the front of `input`.
  private func receiveHandshake(_ input: inout UnsafeRawBufferPointer, _ opening: Opening) {
    do throws(OpeningFailure) {
      guard let agreement = try opener.receive(&input, opening, configuration) else { return }
      switch agreement {
      case .unfinished(let opening): lock.withLock { phase = .opening(opening) }
      case .open(let subprotocol, let answer): open(subprotocol, answer)
      }
    } catch {
      lock.withLock {
        phase = .ending(Ending(error: error.error))
        error.answer.withUnsafeBytes { greeting.append($0) }
        flush()
      }
      lingerAndDrop()
    }
  }

  private func open(_ subprotocol: String?, _ answer: [UInt8]) {
    let isOpen = lock.withLock {
      guard case .opening = phase else { return false }
      phase = .open
      agreedSubprotocol = subprotocol
      answer.withUnsafeBytes { greeting.append($0) }
      flush()
      advance(to: .connected)
      return true
    }
    guard isOpen else { return }
    deadline.disposable = Disposables.create()
    tellStates()
    streams.events.next(.connected)
    opener.opened()
  }
}

// MARK: - Receiving

extension Pump {
  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    if held.isEmpty { pump(bytes) } else { held.append(bytes) }
    finishTurn()
  }

  func transportEnded() {
    guard held.isEmpty else { return held.noteEnd() }
    inputEnded()
  }

  /// Somebody observes for the first time: what was held back goes on.
  func resume() {
    loop.execute {
      let (bytes, end) = self.held.take()
      bytes.withUnsafeBytes { self.pump($0) }
      if !self.held.isEmpty { return self.held.append(end) }
      self.currentTransport?.setReading(true)
      self.finishTurn()
      switch end {
      case .open: break
      case .ended: self.inputEnded()
      case .closed(let error): self.finish(self.lock.withLock { self.ending(error) })
      }
    }
  }

  private func pump(_ bytes: UnsafeRawBufferPointer) {
    var input = bytes
    while case .opening(let opening) = lock.withLock({ phase }), !input.isEmpty {
      receiveHandshake(&input, opening)
    }
    while !streams.isFull {
      guard let event = nextEvent(&input) else { return }
      tell(event)
    }
    guard !input.isEmpty else { return }
    held.append(input)
    currentTransport?.setReading(false)
  }

  private func nextEvent(_ input: inout UnsafeRawBufferPointer) -> ConnectionEvent? {
    let wantsFrames = streams.wantsFrames
    return lock.withLock {
      switch phase {
      case .open, .ending:
        connection.wantsFrames = wantsFrames
        return connection.nextEvent(from: &input)
      case .idle, .opening, .ended: return nil
      }
    }
  }

  private func tell(_ event: ConnectionEvent) {
    switch event {
    case .frame(let frame): streams.tell(frame)
    case .message(let message): streams.tell(message)
    case .ping, .pong: break
    case .peerClosed(.abnormal, _): end(Ending(error: .connectionLost))
    case .peerClosed(let code, let reason): end(Ending(code: code, reason: reason))
    case .failed(let error):
      end(
        Ending(
          error: .protocolViolation(error),
          code: error.closeCode,
          reason: error.description
        )
      )
    }
  }

  /// The peer will say nothing more that counts.
  private func end(_ ending: Ending) {
    lock.withLock {
      phase = .ending(ending)
      advance(to: .disconnecting)
      flush()
    }
    tellStates()
    lingerAndDrop()
  }

  private func inputEnded() {
    lock.lock()
    switch phase {
    case .open:
      var event: ConnectionEvent?
      connection.receiveEnd { event = $0 }
      lock.unlock()
      if let event { tell(event) }
    case .opening:
      phase = .ending(Ending(error: .handshake(.connectionClosed)))
      lock.unlock()
    case .idle, .ending, .ended:
      lock.unlock()
    }
    currentTransport?.close()
  }

  /// The bytes of this turn are handled: what was sent meanwhile leaves at its end, in one write.
  private func finishTurn() {
    let isWaiting = lock.withLock { !greeting.isEmpty || !connection.output.isEmpty }
    if isWaiting { flushAtEndOfTurn() }
  }
}

// MARK: - Sending

extension Pump {
  /// Lets `body` put something into the connection's output, and sees that it leaves.
  func send(_ body: (inout Connection) throws(SendError) -> Void) throws(WebSocketError) {
    let isOnLoop = loop.isCurrent
    lock.lock()
    defer { lock.unlock() }
    guard case .open = phase else { throw .notConnected(currentState) }
    do throws(SendError) {
      try body(&connection)
    } catch {
      switch error {
      case .notOpen: throw .notConnected(currentState)
      case .closeCodeNotSendable(let code): throw .closeCodeNotSendable(code)
      case .controlPayloadTooLong(let length): throw .controlPayloadTooLong(length: length)
      }
    }
    if isOnLoop { flushAtEndOfTurn() } else { flush() }
  }

  private func flushAtEndOfTurn() {
    if isFlushDue { return }
    isFlushDue = true
    loop.endOfTurn { [self] in
      isFlushDue = false
      flushAndBalance()
    }
  }

  func transportWritable() { flushAndBalance() }

  /// Writes what waits, and reads on only while not too much does.
  private func flushAndBalance() {
    let (waiting, transport) = lock.withLock {
      flush()
      return (greeting.count + connection.output.count, self.transport)
    }
    if waiting > Self.outputLimit, !isChoked {
      isChoked = true
      transport?.setReading(false)
    } else if waiting < Self.outputLimit / 2, isChoked {
      isChoked = false
      if held.isEmpty { transport?.setReading(true) }
    }
  }

  /// Writes what waits, as far as the transport takes it.
  ///
  /// The caller holds the lock; a transport calls nobody back from `write`.
  private func flush() {
    guard let transport else { return }
    guard write(&greeting, to: transport), write(&connection.output, to: transport) else { return }
    if case .ending = phase { transport.closeWriting() }
  }

  private func write(_ output: inout OutputBuffer, to transport: any Transport) -> Bool {
    guard !output.isEmpty else { return true }
    output.consume(output.withReadableBytes { transport.write($0) })
    return output.isEmpty
  }
}

// MARK: - Closing

extension Pump {
  /// Closes from this side: in effect when it returns.
  func close(_ code: CloseCode, reason: String) {
    lock.lock()
    switch phase {
    case .idle:
      phase = .ending(Ending())
      lock.unlock()
      return loop.execute { self.transportClosed(nil) }
    case .opening:
      phase = .ending(Ending())
      advance(to: .disconnecting)
      lock.unlock()
      currentTransport?.close()
    case .open:
      // It was open: nothing but an unsendable code is refused, and the caller has seen to that.
      try? connection.close(code, reason: reason)
      advance(to: .disconnecting)
      flush()
      lock.unlock()
      currentTransport?.setReading(true)
      startDeadline(configuration.closeTimeout) { self.closeExpired() }
    case .ending, .ended: return lock.unlock()
    }
    loop.execute { self.tellStates() }
  }

  private func closeExpired() {
    lock.withLock {
      guard case .open = phase else { return }
      phase = .ending(Ending(error: .closeTimedOut(after: configuration.closeTimeout)))
    }
    currentTransport?.close()
  }

  /// Waits for the peer to end the transport, so that it can read our last bytes; not for long.
  private func lingerAndDrop() {
    startDeadline(configuration.closeTimeout) { self.currentTransport?.close() }
    currentTransport?.setReading(true)
  }

  func transportClosed(_ error: TransportError?) {
    deadline.dispose()
    let ending = lock.withLock {
      advance(to: .disconnected)
      return self.ending(error)
    }
    if held.isEmpty { return finish(ending) }
    tellStates()
    held.noteClose(error)
  }

  /// What the streams are told.
  ///
  /// The caller holds the lock.
  private func ending(_ error: TransportError?) -> Ending? {
    switch phase {
    case .ended: nil
    case .ending(let ending): ending
    case .idle, .opening:
      Ending(error: error.map { .transport($0) } ?? .handshake(.connectionClosed))
    case .open: Ending(error: error.map { .transport($0) } ?? .connectionLost)
    }
  }

  private func finish(_ ending: Ending?) {
    guard let ending else { return }
    lock.withLock {
      phase = .ended
      transport = nil
    }
    tellStates()
    streams.end(ending.error, code: ending.code, reason: ending.reason)
    streams.states.hub.end(nil)
    opener.closed()
  }
}
