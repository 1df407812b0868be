import Dispatch

/// TLS over another transport; its handshake precedes `transportOpened`.
///
/// A write encrypts under the lock, on the caller's thread. The loop decrypts under the lock and
/// calls the handler without it. The peer's `close_notify` ends the connection in order; bytes
/// that end without one are an error.
final class TLSTransport: Transport, TransportHandler, @unchecked Sendable {
  /// The writing half, which any thread may use.
  private enum WriteState {
    /// The handshake runs: the handler may not write yet.
    case shakingHands
    /// `isFull`: a write was cut short, and the handler waits for `transportWritable`.
    case open(isFull: Bool)
    /// `close_notify` is encrypted; its ciphertext may still wait for room in `inner`.
    case ending
    case closed
  }

  /// The reading half.
  private enum ReadState {
    case idle
    /// The session is being made.
    case preparing
    /// `answer`: the first bytes of the peer, as many as show whether it answers in HTTP.
    case shakingHands(answer: [UInt8])
    /// A server's handshake, with the bytes that arrived before its turn on the loop.
    case waitingForTurn([UInt8])
    /// `held`: ciphertext that arrived while the handler had paused reading.
    case open(held: [UInt8])
    case ended
    case closed(TransportError?)
  }

  typealias MakeSession = @Sendable () throws(TLSError) -> any TLSSession

  let loop: EventLoop
  let inner: any Transport
  /// Whether the handshake runs as a fair job: a server's does, because any peer can start one.
  private let takesTurns: Bool

  // `lock` protects these.
  private let lock = Lock()
  private var session: (any TLSSession)?
  private var writeState = WriteState.shakingHands
  /// How many bytes of ciphertext `inner` did not accept.
  private var unwrittenCount = 0

  // Touched on the loop's thread only.
  private var makeSession: MakeSession?
  private var readState = ReadState.idle
  /// Reading is paused because the peer does not read the answers of TLS itself.
  private var isCongested = false
  /// Whether writing failed: nothing can be written any more.
  private var hasFailed = false
  private var handler: (any TransportHandler)?

  private let gate = DeliveryGate()

  /// The most plaintext encrypted in one step, in bytes: whole records, with room for a message of
  /// 64 KiB and its header, whose last bytes would otherwise need a system call of their own.
  private static let chunk = 80 << 10

  // The ciphertext that may wait before reading is paused, in bytes. Only a peer that requests
  // answers of TLS, such as new keys, and does not read them can exceed this.
  private static let unwrittenLimit = 256 << 10

  /// The first bytes of a plain HTTP server's answer to a TLS handshake.
  private static let plainAnswer = Array("HTTP/".utf8)

  /// The queue that makes sessions, which may block; about one for each core at a time.
  private static let workers = DispatchQueue(
    label: "Sockets TLS", qos: .userInitiated, attributes: .concurrent)

  /// - Parameters:
  ///   - inner: A transport that has not been started.
  ///   - takesTurns: Whether the handshake runs as a fair job of the loop.
  init(over inner: any Transport, _ session: any TLSSession, takesTurns: Bool = false) {
    loop = inner.loop
    self.inner = inner
    self.session = session
    self.takesTurns = takesTurns
  }

  // The session is made on a queue after `start`: reading the system's certificate
  // authorities takes longer than a loop may block.
  init(over inner: any Transport, making makeSession: @escaping MakeSession) {
    loop = inner.loop
    self.inner = inner
    self.makeSession = makeSession
    takesTurns = false
  }

  // MARK: Opening and closing

  func start(_ handler: any TransportHandler) {
    loop.execute {
      self.handler = handler
      self.begin()
    }
  }

  func replaceHandler(with handler: any TransportHandler) {
    if self.handler != nil { self.handler = handler }
  }

  private func begin() {
    guard let makeSession, !gate.isClosing else { return startInner() }
    self.makeSession = nil
    readState = .preparing
    Self.workers.async { [self] in
      do throws(TLSError) {
        let session = try makeSession()
        lock.withLock { self.session = session }
        loop.execute { self.prepared(nil) }
      } catch {
        loop.execute { self.prepared(error) }
      }
    }
  }

  private func prepared(_ error: TLSError?) {
    // `close` may have ended the connection while the session was made.
    if case .preparing = readState { startInner(error) }
  }

  /// Starts `inner`, closed after an error: it calls `transportClosed` in either case.
  private func startInner(_ error: TLSError? = nil) {
    readState = .shakingHands(answer: [])
    if let error { fail(error) }
    inner.start(self)
  }

  func transportOpened() { receive(.init(start: nil, count: 0)) }

  func close() {
    guard gate.beginClosing() else { return }
    lock.withLock {
      if case .open = writeState { session?.end() }
      _ = flush()
      writeState = .closed
    }
    inner.close()
    // The end does not wait for a session that is being made.
    loop.execute { self.prepared(nil) }
  }

  // Sends the alert if possible, and closes `inner`; then the handler receives the error.
  private func fail(_ error: TLSError) {
    if case .closed = readState { return }
    readState = .closed(.tls(error))
    gate.beginClosing()
    lock.withLock {
      // `session` has prepared the alert that names the error.
      _ = flush()
      writeState = .closed
    }
    inner.close()
  }

  func transportClosed(_ error: TransportError?) {
    // A connection that this side closed ends without an error, even when `close_notify` failed.
    var error = gate.beginClosing() ? error : nil
    if case .closed(let failure) = readState { error = failure }
    readState = .closed(nil)
    lock.withLock { writeState = .closed }
    handler.take()?.transportClosed(error)
  }

  // MARK: Reading

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    switch readState {
    case .shakingHands where takesTurns:
      // Until the turn, no more is read: an unknown client cannot make this buffer grow.
      inner.setReading(false)
      readState = .waitingForTurn(Array(bytes))
      loop.executeFairly(.handshakes) { self.takeTurn() }
    case .waitingForTurn(let earlier): readState = .waitingForTurn(earlier + bytes)
    default: receive(bytes)
    }
  }

  private func takeTurn() {
    // `close` may have ended the connection while the job waited.
    guard case .waitingForTurn(let bytes) = readState else { return }
    readState = .shakingHands(answer: [])
    inner.setReading(true)
    bytes.withUnsafeBytes { receive($0) }
  }

  /// Decrypts ciphertext and delivers its plaintext to the handler.
  private func receive(_ bytes: UnsafeRawBufferPointer) {
    var input = bytes
    if case .shakingHands(let answer) = readState, answer.count < Self.plainAnswer.count {
      readState = .shakingHands(
        answer: answer + bytes.prefix(Self.plainAnswer.count - answer.count))
    }
    do throws(TLSError) {
      if case .shakingHands = readState, try !shakeHands(&input) { return }
      guard case .open(let held) = readState else { return }
      readState = .open(held: [])
      if held.isEmpty {
        try deliver(&input)
      } else {
        try (held + bytes).withUnsafeBufferPointer { bytes throws(TLSError) in
          var input = UnsafeRawBufferPointer(bytes)
          try deliver(&input)
        }
      }
    } catch {
      fail(isPlainHTTP(error) ? .plainHTTP : error)
    }
  }

  /// Whether the handshake failed because the peer has answered it in HTTP.
  private func isPlainHTTP(_ error: TLSError) -> Bool {
    guard error == .notTLS, case .shakingHands(let answer) = readState else { return false }
    return answer == Self.plainAnswer
  }

  /// Continues the handshake; returns whether it is complete, after calling `transportOpened`.
  private func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool {
    let isDone = try lock.withLock { () throws(TLSError) in
      guard let session else { return false }
      let isDone = try session.shakeHands(&input)
      _ = flush()
      if isDone, case .shakingHands = writeState { writeState = .open(isFull: false) }
      return isDone
    }
    guard isDone, !gate.isClosing else { return false }
    readState = .open(held: [])
    handler?.transportOpened()
    return true
  }

  /// Decrypts and delivers until the input is used up or the handler pauses reading.
  private func deliver(_ input: inout UnsafeRawBufferPointer) throws(TLSError) {
    // `scratch` holds the ciphertext. No other code runs on the loop until this returns.
    let plaintext = loop.secondScratch
    while gate.isOpen, !isCongested {
      let (read, wasFull) = try lock.withLock { () throws(TLSError) in
        let count = input.count
        let read = try session?.read(&input, into: plaintext) ?? .needsMore
        // TLS may have answered these bytes by itself, as it does for new keys. And a write that
        // waited for bytes of the peer can succeed now.
        let wasFull = input.count < count && takeRoom()
        isCongested = unwrittenCount > Self.unwrittenLimit && !hasFailed
        return (read, wasFull)
      }
      if case .bytes(let count) = read {
        handler?.transportReceived(.init(rebasing: plaintext[..<count]))
      }
      if wasFull, !gate.isClosing { handler?.transportWritable() }
      switch read {
      case .bytes: break
      case .needsMore: if !isCongested { return }
      case .ended: return readingEnded()
      }
    }
    guard case .open = readState, !gate.isClosing else { return }
    readState = .open(held: Array(input))
    inner.setReading(false)
  }

  private func readingEnded() {
    readState = .ended
    handler?.transportEnded()
    closeIfBothEnded()
  }

  func transportEnded() {
    switch readState {
    case .shakingHands, .waitingForTurn: fail(.handshakeInterrupted)
    case .open: fail(.truncated)
    case .idle, .preparing, .ended, .closed: break
    }
  }

  func transportEndArrived() { if case .open = readState { handler?.transportEndArrived() } }

  func transportFailed(_ error: TransportError) {
    hasFailed = true
    isCongested = false
    guard case .open = readState, !gate.isClosing else { return inner.close() }
    handler?.transportFailed(error)
    resume()
  }

  func setReading(_ isReading: Bool) {
    if gate.setReading(isReading) { loop.execute { self.resume() } }
  }

  /// Delivers the held bytes, then resumes reading from `inner`.
  private func resume() {
    guard case .open = readState, gate.isOpen, !isCongested else { return }
    receive(.init(start: nil, count: 0))
    if gate.isOpen, !isCongested { inner.setReading(true) }
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let (taken, failure) = lock.withLock { () -> (Int, TLSError?) in
      guard case .open = writeState, let session else { return (0, nil) }
      var taken = 0
      do throws(TLSError) {
        while taken < bytes.count, flush() {
          let chunk = bytes[taken...].prefix(Self.chunk)
          let count = try session.write(.init(rebasing: chunk))
          if count == 0 { break }
          taken += count
        }
      } catch {
        return (taken, error)
      }
      _ = flush()
      if taken < bytes.count { writeState = .open(isFull: true) }
      return (taken, nil)
    }
    if let failure { loop.execute { self.fail(failure) } }
    return taken
  }

  var acknowledgement: Acknowledgement? { inner.acknowledgement }
  var peerAddress: NetworkAddress? { inner.peerAddress }
  var clientCertificate: TLSClientCertificate? { lock.withLock { session?.clientCertificate } }

  func closeWriting() {
    let isWritten = lock.withLock {
      guard case .open = writeState else { return false }
      session?.end()
      writeState = .ending
      return flush()
    }
    if isWritten { closeNotifyWritten() }
  }

  func transportWritable() {
    let (wasFull, hasEnded, hasRoom) = lock.withLock {
      let wasFull = takeRoom()
      let hasEnded = if case .ending = writeState { unwrittenCount == 0 } else { false }
      return (wasFull, hasEnded, unwrittenCount <= Self.unwrittenLimit / 2)
    }
    if wasFull { handler?.transportWritable() }
    if hasEnded { closeNotifyWritten() }
    if isCongested, hasRoom {
      isCongested = false
      resume()
    }
  }

  private func closeNotifyWritten() {
    inner.closeWriting()
    loop.execute { self.closeIfBothEnded() }
  }

  private func closeIfBothEnded() {
    let hasEnded = lock.withLock {
      guard case .ending = writeState else { return false }
      return flush()
    }
    if hasEnded, case .ended = readState { inner.close() }
  }

  /// Returns whether a write was cut short and there is room again; the caller then notifies the
  /// handler, once.
  ///
  /// The caller holds the lock.
  private func takeRoom() -> Bool {
    guard flush(), case .open(isFull: true) = writeState else { return false }
    writeState = .open(isFull: false)
    return true
  }

  /// Writes ciphertext to `inner`; after false, `inner` calls `transportWritable`.
  ///
  /// The caller holds the lock, which is safe: a transport calls no handler from `write`.
  private func flush() -> Bool {
    unwrittenCount = 0
    return session?.drain { ciphertext in
      let taken = inner.write(ciphertext)
      unwrittenCount = ciphertext.count - taken
      return taken
    } ?? true
  }
}
