import Reactive

/// Makes one TCP connection: finds the addresses of a host and races them (RFC 8305, Happy Eyeballs).
///
/// The next address is tried when the last has failed, or has not answered for 250 ms; the first that
/// answers wins. It knows no deadline: whoever started it cancels it.
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

  /// Calls `completion` once, on the loop, unless cancelled; perhaps before this returns.
  ///
  /// On success the socket belongs to the caller, and nobody watches it.
  func start(_ completion: @escaping Completion) {
    if let literal = try? SocketAddress.find(host, port: port, .literal) {
      return start(at: literal, completion)
    }
    self.completion = completion
    // Both families in one answer: there is no second one to wait for (RFC 8305, section 3).
    let query = resolver.find(host, port: port) { [weak self] answer in
      guard let self else { return }
      loop.execute { self.resolved(answer) }
    }
    phase = .resolving(query)
  }

  /// As `start(_:)`, with addresses that are known already.
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

  // MARK: The end

  /// Gives up and closes what is open; `completion` is not called any more.
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

  /// Begins the first attempt that can be begun.
  ///
  /// When there is none under way either, the last error counts.
  private func attemptNext() {
    while let address = waiting.popFirst() {
      do throws(TransportError) {
        attempts.append(try Attempt(address, self, on: loop))
        if waiting.isEmpty { return }
        pause.disposable = clock.after(Self.attemptDelay) { [weak self] in
          self?.delayPassed()
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

  private func delayPassed() {
    if case .racing = phase { attemptNext() }
  }

  fileprivate func decided(_ attempt: Attempt) {
    attempts.removeAll { $0 === attempt }
    if let error = attempt.failure() {
      attempt.close()
      lastError = error
      // Which takes the place of the pause.
      attemptNext()
    } else {
      attempt.release()
      finish(.success(attempt.socket))
    }
  }
}

/// One address that is being tried.
///
/// Lives on the loop's thread; the loop retains it, and it the connector, until it is closed or
/// released.
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
      let code = socket.connect(to: address)
      if code != 0 {
        throw TransportError(errno: code, operation: "connect", address: address.description)
      }
      // Registered after `connect`, because an unconnected socket reports a hangup. One that is
      // connected by now is reported all the same.
      registration = try loop.register(socket.descriptor, .writable, self)
    } catch {
      socket.close()
      throw error
    }
  }

  /// The error of an attempt that has been decided.
  func failure() -> TransportError? {
    let code = socket.takeError()
    if code == 0 {
      return socket.isConnectedToItself ? .refused(address: address.description) : nil
    }
    return TransportError(errno: code, operation: "connect", address: address.description)
  }

  /// Nobody watches the socket any more.
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
