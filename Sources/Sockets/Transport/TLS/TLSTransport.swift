import Reactive
import Synchronization

/// TLS over another transport; its handshake precedes `transportOpened`.
///
/// A write encrypts under the lock, on the caller's thread. The loop decrypts under the lock and
/// calls the handler without it. The peer's `close_notify` ends the connection in order; bytes
/// that end without one are an error.
final class TLSTransport: Transport, TransportHandler, @unchecked Sendable {
  /// The writing half, which any thread may use.
  private enum Outlet {
    /// The handshake runs: the handler may not write yet.
    case shakingHands
    /// `isFull`: a write was cut short, and the handler waits for `transportWritable`.
    case open(isFull: Bool)
    /// `close_notify` is encrypted; its ciphertext may still wait for room in `inner`.
    case ending
    case closed
  }

  /// The reading half.
  private enum Inlet {
    case idle
    /// A worker thread makes the session.
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
  private let inner: any Transport
  /// Whether the handshake runs as a fair job: a server's does, because any stranger can start one.
  private let takesTurns: Bool

  // `lock` protects these.
  private let lock = Lock()
  private var session: (any TLSSession)?
  private var outlet = Outlet.shakingHands
  /// How many bytes of ciphertext `inner` did not accept.
  private var waiting = 0

  // Touched on the loop's thread only.
  private var makeSession: MakeSession?
  private var inlet = Inlet.idle
  /// Reading is paused because the peer does not read the answers of TLS itself.
  private var isChoked = false
  /// Whether writing failed: nothing can be written any more.
  private var isBroken = false
  private var handler: (any TransportHandler)?

  private let isReading = Atomic(true)
  private let isClosing = Atomic(false)

  /// The most plaintext encrypted in one step, in bytes: whole records, with room for a message of
  /// 64 KiB and its header, whose last bytes would otherwise need a system call of their own.
  private static let chunk = 80 << 10

  // The ciphertext that may wait before reading is paused, in bytes. Only a peer that requests
  // answers of TLS, such as new keys, and does not read them can exceed this.
  private static let waitingLimit = 256 << 10

  /// The first bytes of a plain HTTP server's answer to a TLS handshake.
  private static let plainAnswer = Array("HTTP/".utf8)

  /// The threads that make sessions, which may block.
  private static let workers = BlockingThreadPool(name: "Sockets TLS", limit: 2)

  /// - Parameters:
  ///   - inner: A transport that has not been started.
  ///   - takesTurns: Whether the handshake runs as a fair job of the loop.
  init(over inner: any Transport, _ session: any TLSSession, takesTurns: Bool = false) {
    loop = inner.loop
    self.inner = inner
    self.session = session
    self.takesTurns = takesTurns
  }

  // The session is made on a worker thread after `start`: reading the system's certificate
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

  private func begin() {
    guard let makeSession else { return startInner() }
    if isClosing.load(ordering: .acquiring) { return transportClosed(nil) }
    self.makeSession = nil
    inlet = .preparing
    Self.workers.perform { [self] in
      do throws(TLSError) {
        let session = try makeSession()
        lock.withLock { self.session = session }
        loop.execute { self.prepared(nil) }
      } catch {
        loop.execute { self.prepared(.tls(error)) }
      }
    } orFail: { [self] error in
      loop.execute { self.prepared(error) }
    }
  }

  private func prepared(_ error: TransportError?) {
    // `close` may have ended the connection while the session was made.
    guard case .preparing = inlet else { return }
    guard let error else { return startInner() }
    inlet = .closed(error)
    inner.close()
    transportClosed(nil)
  }

  private func startInner() {
    inlet = .shakingHands(answer: [])
    inner.start(self)
  }

  func transportOpened() { receive(.init(start: nil, count: 0)) }

  func close() {
    guard !isClosing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    lock.withLock {
      if case .open = outlet { session?.end() }
      _ = flush()
      outlet = .closed
    }
    inner.close()
    loop.execute {
      // `inner` was never started, so it calls no `transportClosed`.
      if case .preparing = self.inlet { self.transportClosed(nil) }
    }
  }

  // Sends the alert if possible, and closes `inner`; then the handler receives the error.
  private func fail(_ error: TLSError) {
    if case .closed = inlet { return }
    inlet = .closed(.tls(error))
    isClosing.store(true, ordering: .releasing)
    lock.withLock {
      // `session` has prepared the alert that names the error.
      _ = flush()
      outlet = .closed
    }
    inner.close()
  }

  func transportClosed(_ error: TransportError?) {
    // A connection that this side closed ends without an error, even when `close_notify` failed.
    var error = isClosing.exchange(true, ordering: .acquiringAndReleasing) ? nil : error
    if case .closed(let failure) = inlet { error = failure }
    inlet = .closed(nil)
    lock.withLock { outlet = .closed }
    let handler = handler
    self.handler = nil
    handler?.transportClosed(error)
  }

  // MARK: Reading

  private var mayDeliver: Bool {
    isReading.load(ordering: .acquiring) && !isClosing.load(ordering: .acquiring)
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    switch inlet {
    case .shakingHands where takesTurns:
      // Until the turn, no more is read: a stranger cannot make this buffer grow.
      inner.setReading(false)
      inlet = .waitingForTurn(Array(bytes))
      loop.executeFairly(.handshakes) { self.takeTurn() }
    case .waitingForTurn(let waiting): inlet = .waitingForTurn(waiting + bytes)
    default: receive(bytes)
    }
  }

  private func takeTurn() {
    // `close` may have ended the connection while the job waited.
    guard case .waitingForTurn(let bytes) = inlet else { return }
    inlet = .shakingHands(answer: [])
    inner.setReading(true)
    bytes.withUnsafeBytes { receive($0) }
  }

  /// Decrypts ciphertext and delivers its plaintext to the handler.
  private func receive(_ bytes: UnsafeRawBufferPointer) {
    var input = bytes
    if case .shakingHands(let answer) = inlet, answer.count < Self.plainAnswer.count {
      inlet = .shakingHands(answer: answer + bytes.prefix(Self.plainAnswer.count - answer.count))
    }
    do throws(TLSError) {
      if case .shakingHands = inlet, try !shakeHands(&input) { return }
      guard case .open(let held) = inlet else { return }
      inlet = .open(held: [])
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
    guard error == .notTLS, case .shakingHands(let answer) = inlet else { return false }
    return answer == Self.plainAnswer
  }

  /// Continues the handshake; returns whether it is complete, after calling `transportOpened`.
  private func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool {
    let isDone = try lock.withLock { () throws(TLSError) in
      guard let session else { return false }
      let isDone = try session.shakeHands(&input)
      _ = flush()
      if isDone, case .shakingHands = outlet { outlet = .open(isFull: false) }
      return isDone
    }
    guard isDone, !isClosing.load(ordering: .acquiring) else { return false }
    inlet = .open(held: [])
    handler?.transportOpened()
    return true
  }

  /// Decrypts and delivers until the input is used up or the handler pauses reading.
  private func deliver(_ input: inout UnsafeRawBufferPointer) throws(TLSError) {
    // `scratch` holds the ciphertext. No other code runs on the loop until this returns.
    let plaintext = loop.secondScratch
    while mayDeliver, !isChoked {
      let (read, isAwaited) = try lock.withLock { () throws(TLSError) in
        let count = input.count
        let read = try session?.read(&input, into: plaintext) ?? .needsMore
        // TLS may have answered these bytes by itself, as it does for new keys. And a write that
        // waited for bytes of the peer can succeed now.
        let isAwaited = input.count < count && takeRoom()
        isChoked = waiting > Self.waitingLimit && !isBroken
        return (read, isAwaited)
      }
      if case .bytes(let count) = read {
        handler?.transportReceived(.init(rebasing: plaintext[..<count]))
      }
      if isAwaited, !isClosing.load(ordering: .acquiring) { handler?.transportWritable() }
      switch read {
      case .bytes: break
      case .needsMore: if !isChoked { return }
      case .ended: return inletEnded()
      }
    }
    guard case .open = inlet, !isClosing.load(ordering: .acquiring) else { return }
    inlet = .open(held: Array(input))
    inner.setReading(false)
  }

  private func inletEnded() {
    inlet = .ended
    handler?.transportEnded()
    closeIfBothEnded()
  }

  func transportEnded() {
    switch inlet {
    case .shakingHands, .waitingForTurn: fail(.handshakeInterrupted)
    case .open: fail(.truncated)
    case .idle, .preparing, .ended, .closed: break
    }
  }

  func transportEndArrived() { if case .open = inlet { handler?.transportEndArrived() } }

  func transportFailed(_ error: TransportError) {
    isBroken = true
    isChoked = false
    guard case .open = inlet, !isClosing.load(ordering: .acquiring) else { return inner.close() }
    handler?.transportFailed(error)
    resume()
  }

  func setReading(_ isReading: Bool) {
    let was = self.isReading.exchange(isReading, ordering: .acquiringAndReleasing)
    if isReading && !was { loop.execute { self.resume() } }
  }

  /// Delivers the held bytes, then resumes reading from `inner`.
  private func resume() {
    guard case .open = inlet, mayDeliver, !isChoked else { return }
    receive(.init(start: nil, count: 0))
    if mayDeliver, !isChoked { inner.setReading(true) }
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let (taken, failure) = lock.withLock { () -> (Int, TLSError?) in
      guard case .open = outlet, let session else { return (0, nil) }
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
      if taken < bytes.count { outlet = .open(isFull: true) }
      return (taken, nil)
    }
    if let failure { loop.execute { self.fail(failure) } }
    return taken
  }

  var acknowledgement: Acknowledgement? { inner.acknowledgement }
  var peerAddress: NetworkAddress? { inner.peerAddress }
  var clientCertificate: TLSClientCertificate? { lock.withLock { session?.clientCertificate } }

  func closeWriting() {
    let hasLeft = lock.withLock {
      guard case .open = outlet else { return false }
      session?.end()
      outlet = .ending
      return flush()
    }
    if hasLeft { endingHasLeft() }
  }

  func transportWritable() {
    let (isAwaited, hasEnded, isRelieved) = lock.withLock {
      let isAwaited = takeRoom()
      var hasEnded = false
      if case .ending = outlet { hasEnded = waiting == 0 }
      return (isAwaited, hasEnded, waiting <= Self.waitingLimit / 2)
    }
    if isAwaited { handler?.transportWritable() }
    if hasEnded { endingHasLeft() }
    if isChoked, isRelieved {
      isChoked = false
      resume()
    }
  }

  private func endingHasLeft() {
    inner.closeWriting()
    loop.execute { self.closeIfBothEnded() }
  }

  private func closeIfBothEnded() {
    let hasEnded = lock.withLock {
      guard case .ending = outlet else { return false }
      return flush()
    }
    if hasEnded, case .ended = inlet { inner.close() }
  }

  /// Returns whether a write was cut short and there is room again; the caller then notifies the
  /// handler, once.
  ///
  /// The caller holds the lock.
  private func takeRoom() -> Bool {
    guard flush(), case .open(isFull: true) = outlet else { return false }
    outlet = .open(isFull: false)
    return true
  }

  /// Writes ciphertext to `inner`; after false, `inner` calls `transportWritable`.
  ///
  /// The caller holds the lock, which is safe: a transport calls no handler from `write`.
  private func flush() -> Bool {
    waiting = 0
    return session?.drain { ciphertext in
      let taken = inner.write(ciphertext)
      waiting = ciphertext.count - taken
      return taken
    } ?? true
  }
}
