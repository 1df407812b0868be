/// Makes one TCP connection: looks up a host and races its addresses (RFC 8305, Happy Eyeballs).
///
/// The next attempt begins when the last one has failed, or has not connected within 250 ms. The
/// first connection wins. There is no deadline: the owner cancels the connector.
///
///     ::1        |--- refused
///     127.0.0.1      |------------------------> connected: the other attempts are closed
///     192.0.2.1          250 ms after  |---x
///
/// Lives on the loop's thread.
final class TCPConnector: @unchecked Sendable {
  typealias Completion = (Result<Socket, TransportError>) -> Void

  private enum Phase {
    case idle
    case resolving(Resolver.Query)
    case racing
    case done
  }

  private let host: String
  private let port: UInt16
  private let clock: LoopClock
  private let resolver: Resolver
  var loop: EventLoop { clock.loop }

  // Touched on the loop's thread only.
  private var phase = Phase.idle
  private var completion: Completion?
  private var waiting: ArraySlice<SocketAddress> = []
  private var attempts: [Attempt] = []
  private let pause = SerialDisposable()
  private var lastError: TransportError?

  /// RFC 8305, section 5: the Connection Attempt Delay that it recommends.
  static let attemptDelay = Duration.milliseconds(250)

  init(host: String, port: UInt16, clock: LoopClock, resolver: Resolver = .shared) {
    self.host = host
    self.port = port
    self.clock = clock
    self.resolver = resolver
  }

  /// Calls `completion` once, on the loop, unless cancelled; possibly before this returns.
  ///
  /// On success the caller owns the socket, which is registered with no loop.
  func start(_ completion: @escaping Completion) {
    if let literal = try? SocketAddress.find(host, port: port, .literal) {
      return start(at: literal, completion)
    }
    self.completion = completion
    // One answer has both families: there is no second one to wait for (RFC 8305, section 3).
    let query = resolver.find(host, port: port) { [weak self] answer in
      guard let self else { return }
      loop.execute { self.resolved(answer) }
    }
    phase = .resolving(query)
  }

  /// Races these addresses, as `start(_:)` does after the look-up.
  func start(at addresses: [SocketAddress], _ completion: @escaping Completion) {
    self.completion = completion
    race(addresses)
  }

  private func resolved(_ answer: Resolver.Query.Answer) {
    guard case .resolving = phase else { return }
    switch answer {
    case .success(let addresses): race(addresses)
    case .failure(let error): finish(.failure(error))
    }
  }

  // MARK: Finishing

  /// Cancels all attempts and closes their sockets; `completion` is not called after it.
  ///
  /// Idempotent.
  func cancel() {
    completion = nil
    pause.dispose()
    if case .resolving(let query) = phase { query.cancel() }
    phase = .done
    waiting = []
    let others = attempts
    attempts = []
    for other in others { other.close() }
  }

  private func finish(_ result: Result<Socket, TransportError>) {
    let completion = completion
    cancel()
    completion?(result)
  }

  // MARK: The race

  private func race(_ addresses: [SocketAddress]) {
    phase = .racing
    waiting = SocketAddress.alternating(addresses)[...]
    attemptNext()
  }

  /// Begins the next attempt that the system allows.
  ///
  /// When none is left and none is under way, finishes with the last error.
  private func attemptNext() {
    while let address = waiting.popFirst() {
      do throws(TransportError) {
        attempts.append(try Attempt(address, self, on: loop))
        if waiting.isEmpty { return }
        pause.disposable = clock.after(Self.attemptDelay) { [weak self] in
          if case .racing? = self?.phase { self?.attemptNext() }
        }
        return
      } catch {
        lastError = error
      }
    }
    if attempts.isEmpty {
      finish(.failure(lastError ?? .hostNotFound(host: host, reason: "no address")))
    }
  }

  fileprivate func decided(_ attempt: Attempt) {
    attempts.removeAll { $0 === attempt }
    if let error = attempt.failure() {
      attempt.close()
      lastError = error
      // The next attempt begins now, without the rest of the pause.
      attemptNext()
    } else {
      attempt.release()
      finish(.success(attempt.socket))
    }
  }
}

/// An attempt to connect to one address.
///
/// Lives on the loop's thread. The loop retains the attempt, and the attempt retains the connector,
/// until the attempt is closed or released.
private final class Attempt: EventHandler, @unchecked Sendable {
  let socket: Socket
  private let address: SocketAddress
  private let loop: EventLoop
  private var connector: TCPConnector?
  private var registration: EventLoop.Registration?

  init(
    _ address: SocketAddress,
    _ connector: TCPConnector,
    on loop: EventLoop
  ) throws(TransportError) {
    self.address = address
    self.connector = connector
    self.loop = loop
    socket = try Socket.open(family: address.family)
    do throws(TransportError) {
      let code = socket.beginConnecting(to: address)
      if code != 0 {
        throw TransportError(errno: code, operation: "connect", address: address.description)
      }
      // Registered after `connect`, because an unconnected socket reports a hangup. The poller also
      // reports a socket that has connected meanwhile.
      registration = try loop.register(socket.descriptor, .writable, self)
    } catch {
      socket.close()
      throw error
    }
  }

  /// The error of a decided attempt; nil when it has connected.
  func failure() -> TransportError? {
    let code = socket.takeError()
    if code == 0 {
      return socket.isConnectedToItself ? .refused(address: address.description) : nil
    }
    return TransportError(errno: code, operation: "connect", address: address.description)
  }

  /// Deregisters the socket, for its new owner or before it is closed.
  func release() {
    if let registration { loop.deregister(registration) }
    registration = nil
    connector = nil
  }

  func close() {
    release()
    socket.close()
  }

  func ready(_ events: ReadyEvents) {
    if !events.isDisjoint(with: [.writable, .failed]) { connector?.decided(self) }
  }

  func loopStopped() { connector?.cancel() }
}
