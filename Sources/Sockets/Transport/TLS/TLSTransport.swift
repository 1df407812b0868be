import Reactive
import Synchronization

/// TLS over another transport: the same order of calls, with the handshake before `transportOpened`.
///
/// Whoever sends encrypts under the lock, on any thread; the loop decrypts under it, and tells outside
/// of it. The peer's goodbye (`close_notify`) is the end; bytes that end without it are an error.
final class TLSTransport: Transport, TransportHandler, @unchecked Sendable {
  /// The writing half, which any thread may use.
  private enum Outlet {
    /// Nothing of the handler's may be sent yet.
    case shakingHands
    /// `isFull`: the handler was turned away and waits for room.
    case open(isFull: Bool)
    /// The goodbye is said; it may not have left yet.
    case ending
    case closed
  }

  /// The reading half.
  private enum Inlet {
    case idle
    /// The session is being made.
    case preparing
    /// With the first bytes of the peer's answer, as many as show whether it is HTTP.
    case shakingHands(answer: [UInt8])
    /// A server's, with what came and waits for its turn.
    case waitingForTurn([UInt8])
    /// With ciphertext that came while the handler wanted nothing.
    case open(held: [UInt8])
    case ended
    case closed(TransportError?)
  }

  typealias MakeSession = @Sendable () throws(TLSError) -> any TLSSession

  let loop: EventLoop
  private let inner: any Transport
  /// Whether handshakes take turns: those of a server, which anyone may begin.
  private let takesTurns: Bool

  // `lock` protects these.
  private let lock = Lock()
  private var session: (any TLSSession)?
  private var outlet = Outlet.shakingHands
  /// How much ciphertext `inner` did not take.
  private var waiting = 0

  // Touched on the loop's thread only.
  private var makeSession: MakeSession?
  private var inlet = Inlet.idle
  /// Nothing is read because the peer does not take TLS's own answers.
  private var isChoked = false
  /// Nothing can be written any more.
  private var isBroken = false
  private var handler: (any TransportHandler)?

  private let isReading = Atomic(true)
  private let isClosing = Atomic(false)

  /// How much is encrypted before it is handed on: whole records, and room for a message of 64 KiB with
  /// its header, which would otherwise need a system call for its last bytes.
  private static let chunk = 80 << 10

  /// More ciphertext than this can wait only because the peer asks for answers, such as new keys, and does
  /// not take them: what the handler writes is turned away long before.
  private static let waitingLimit = 256 << 10

  /// What a server of plain HTTP answers a handshake with.
  private static let plainAnswer = Array("HTTP/".utf8)

  /// Where sessions are made that may take long.
  private static let workers = BlockingThreadPool(name: "Sockets TLS", limit: 2)

  /// - Parameters:
  ///   - inner: A transport that nobody has started.
  ///   - takesTurns: Whether the handshake shares a part of each turn of the loop with others.
  init(over inner: any Transport, _ session: any TLSSession, takesTurns: Bool = false) {
    loop = inner.loop
    self.inner = inner
    self.session = session
    self.takesTurns = takesTurns
  }

  /// As above, with a session that is made when the transport is started, on a thread of its own: to read
  /// the authorities of a system takes longer than a loop can wait.
  init(over inner: any Transport, making makeSession: @escaping MakeSession) {
    loop = inner.loop
    self.inner = inner
    self.makeSession = makeSession
    takesTurns = false
  }

  // MARK: OpeningHandshake and closing

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
    // Otherwise it was closed meanwhile.
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
      // `inner`, which was never started, tells nobody.
      if case .preparing = self.inlet { self.transportClosed(nil) }
    }
  }

  /// It is over: the peer is told, if it may be, and the handler once `inner` has closed.
  private func fail(_ error: TLSError) {
    if case .closed = inlet { return }
    inlet = .closed(.tls(error))
    isClosing.store(true, ordering: .releasing)
    lock.withLock {
      // The alert.
      _ = flush()
      outlet = .closed
    }
    inner.close()
  }

  func transportClosed(_ error: TransportError?) {
    // What this side has closed ends without an error, also when the goodbye found nobody.
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
      // Nothing more is read meanwhile.
      inner.setReading(false)
      inlet = .waitingForTurn(Array(bytes))
      loop.executeFairly(.handshakes) { self.takeTurn() }
    case .waitingForTurn(let waiting): inlet = .waitingForTurn(waiting + bytes)
    default: receive(bytes)
    }
  }

  private func takeTurn() {
    // Otherwise it was closed meanwhile.
    guard case .waitingForTurn(let bytes) = inlet else { return }
    inlet = .shakingHands(answer: [])
    inner.setReading(true)
    bytes.withUnsafeBytes { receive($0) }
  }

  /// Takes ciphertext, and tells what comes of it.
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

  /// Whether it is done; the handler knows then.
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

  /// Decrypts and tells, until nothing is left or the handler has enough.
  private func deliver(_ input: inout UnsafeRawBufferPointer) throws(TLSError) {
    // The ciphertext is in the first. Nobody else is called on the loop until this returns.
    let plaintext = loop.secondScratch
    while mayDeliver, !isChoked {
      let (read, isAwaited) = try lock.withLock { () throws(TLSError) in
        let count = input.count
        let read = try session?.read(&input, into: plaintext) ?? .needsMore
        // What was taken may have been answered by TLS itself, as with new keys; and what could not be
        // written without it can be now.
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

  /// Tells what was held back; `inner` goes on when that is done.
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

  /// Whether the handler was turned away and there is room now; it is to be told, once.
  ///
  /// The caller holds the lock.
  private func takeRoom() -> Bool {
    guard flush(), case .open(isFull: true) = outlet else { return false }
    outlet = .open(isFull: false)
    return true
  }

  /// Hands ciphertext to `inner`; true when none is left, otherwise there will be room later.
  ///
  /// The caller holds the lock; a transport calls nobody back from `write`.
  private func flush() -> Bool {
    waiting = 0
    return session?.drain { ciphertext in
      let taken = inner.write(ciphertext)
      waiting = ciphertext.count - taken
      return taken
    } ?? true
  }
}
