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
    case shakingHands
    /// With ciphertext that came while the handler wanted nothing.
    case open(held: [UInt8])
    case ended
    case closed(TransportError?)
  }

  let loop: EventLoop
  private let inner: any Transport

  // `lock` protects these.
  private let lock = Lock()
  private let session: any TLSSession
  private var outlet = Outlet.shakingHands

  // Touched on the loop's thread only.
  private var inlet = Inlet.shakingHands
  private var handler: (any TransportHandler)?

  private let isReading = Atomic(true)
  private let isClosing = Atomic(false)

  /// How much is encrypted before it is handed on.
  private static let chunk = 64 << 10

  /// - Parameter inner: A transport that nobody has started.
  init(over inner: any Transport, _ session: any TLSSession) {
    loop = inner.loop
    self.inner = inner
    self.session = session
  }

  // MARK: Opening and closing

  func start(_ handler: any TransportHandler) {
    loop.execute {
      self.handler = handler
      self.inner.start(self)
    }
  }

  func transportOpened() { receive(.init(start: nil, count: 0)) }

  func close() {
    guard !isClosing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    lock.withLock {
      if case .open = outlet { session.end() }
      _ = flush()
      outlet = .closed
    }
    inner.close()
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

  func transportReceived(_ bytes: UnsafeRawBufferPointer) { receive(bytes) }

  /// Takes ciphertext, and tells what comes of it.
  private func receive(_ bytes: UnsafeRawBufferPointer) {
    var input = bytes
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
      fail(error)
    }
  }

  /// Whether it is done; the handler knows then.
  private func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool {
    let isDone = try lock.withLock { () throws(TLSError) in
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
    while mayDeliver {
      let read = try lock.withLock { () throws(TLSError) in
        let read = try session.read(&input, into: plaintext)
        // An answer that TLS itself gives, such as new keys.
        _ = flush()
        return read
      }
      switch read {
      case .bytes(let count):
        handler?.transportReceived(.init(rebasing: plaintext[..<count]))
      case .needsMore: return
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
    case .shakingHands: fail(.handshakeInterrupted)
    case .open: fail(.truncated)
    case .ended, .closed: break
    }
  }

  func setReading(_ isReading: Bool) {
    let was = self.isReading.exchange(isReading, ordering: .acquiringAndReleasing)
    if isReading && !was { loop.execute { self.resume() } }
  }

  /// Tells what was held back; `inner` goes on when that is done.
  private func resume() {
    guard case .open = inlet, mayDeliver else { return }
    receive(.init(start: nil, count: 0))
    if mayDeliver { inner.setReading(true) }
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let (taken, failure) = lock.withLock { () -> (Int, TLSError?) in
      guard case .open = outlet else { return (0, nil) }
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

  func closeWriting() {
    let hasLeft = lock.withLock {
      guard case .open = outlet else { return false }
      session.end()
      outlet = .ending
      return flush()
    }
    if hasLeft { endingHasLeft() }
  }

  func transportWritable() {
    let (isAwaited, hasEnded) = lock.withLock {
      let isEmpty = flush()
      switch outlet {
      case .open(isFull: true) where isEmpty:
        outlet = .open(isFull: false)
        return (true, false)
      case .ending: return (false, isEmpty)
      case .shakingHands, .open, .closed: return (false, false)
      }
    }
    if isAwaited { handler?.transportWritable() }
    if hasEnded { endingHasLeft() }
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

  /// Hands ciphertext to `inner`; true when none is left, otherwise there will be room later.
  ///
  /// The caller holds the lock; a transport calls nobody back from `write`.
  private func flush() -> Bool { session.drain { inner.write($0) } }
}
