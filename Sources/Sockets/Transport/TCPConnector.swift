/// Makes one TCP connection: finds the addresses of a host and tries them in order until one
/// answers, within one deadline for all of it.
///
/// Lives on the loop's thread.
///
/// Attempts are strictly one after the other: to start the next one while the last is still
/// waiting (RFC 8305), `attempt` becomes a set of attempts here, and nothing changes outside.
final class TCPConnector: EventHandler, @unchecked Sendable {
  typealias Completion = (Result<Socket, TransportError>) -> Void

  private enum Phase {
    case idle
    case resolving(Resolver.Query)
    case attempting(Attempt)
    case done
  }

  private struct Attempt {
    let socket: Socket
    let registration: EventLoop.Registration
    let address: SocketAddress
    let others: ArraySlice<SocketAddress>

    /// The error of an attempt that has been decided.
    func failure() -> TransportError? {
      let code = socket.takeError()
      if code == 0 {
        return socket.isConnectedToItself ? .refused(address: address.description) : nil
      }
      return TransportError(errno: code, operation: "connect", address: address.description)
    }
  }

  /// Who waits for the outcome, and until when.
  private struct Client {
    let deadline: LoopTimer
    let completion: Completion
  }

  private let host: String
  private let port: UInt16
  private let timeout: Duration
  private let loop: EventLoop

  // Touched on the loop's thread only.
  private var phase = Phase.idle
  private var client: Client?

  init(host: String, port: UInt16, timeout: Duration, loop: EventLoop) {
    self.host = host
    self.port = port
    self.timeout = timeout
    self.loop = loop
  }

  /// Calls `completion` once, on the loop, unless cancelled; perhaps before this returns.
  ///
  /// On success the socket belongs to the caller, and nobody watches it.
  func start(_ completion: @escaping Completion) {
    if let literal = try? SocketAddress.find(host, port: port, .literal) {
      return start(at: literal, completion)
    }
    expect(completion)
    let query = Resolver.shared.find(host, port: port) { [weak self] answer in
      guard let self else { return }
      loop.execute { self.resolved(answer) }
    }
    phase = .resolving(query)
  }

  /// As `start(_:)`, with addresses that are known already.
  func start(at addresses: [SocketAddress], _ completion: @escaping Completion) {
    expect(completion)
    tryNext(of: addresses[...])
  }

  private func expect(_ completion: @escaping Completion) {
    let deadline = loop.schedule(after: timeout) { [weak self] in self?.deadlinePassed() }
    client = Client(deadline: deadline, completion: completion)
  }

  /// Gives up and closes what is open; `completion` is not called any more.
  ///
  /// Idempotent.
  func cancel() {
    client?.deadline.cancel()
    client = nil
    switch phase {
    case .idle, .done: break
    case .resolving(let query): query.cancel()
    case .attempting(let attempt):
      loop.deregister(attempt.registration)
      attempt.socket.close()
    }
    phase = .done
  }

  private func finish(_ result: Result<Socket, TransportError>) {
    let client = client
    cancel()
    client?.completion(result)
  }

  private func deadlinePassed() {
    finish(.failure(.timedOut(address: "\(host):\(port)", after: timeout)))
  }

  private func resolved(_ answer: Resolver.Query.Answer) {
    guard case .resolving = phase else { return }
    switch answer {
    case .success(let addresses): tryNext(of: addresses[...])
    case .failure(let error): finish(.failure(error))
    }
  }

  /// Begins the first attempt that can be begun.
  ///
  /// When there is none, the error of the last counts.
  private func tryNext(of addresses: ArraySlice<SocketAddress>, after error: TransportError? = nil)
  {
    var others = addresses
    var error = error
    while let address = others.popFirst() {
      do throws(TransportError) {
        phase = .attempting(try begin(address, others))
        return
      } catch let failure {
        error = failure
      }
    }
    finish(.failure(error ?? .hostNotFound(host: host, reason: "no address")))
  }

  private func begin(
    _ address: SocketAddress,
    _ others: ArraySlice<SocketAddress>
  ) throws(TransportError) -> Attempt {
    let socket = try Socket.open(family: address.family)
    do throws(TransportError) {
      let code = socket.connect(to: address)
      if code != 0 {
        throw TransportError(errno: code, operation: "connect", address: address.description)
      }
      // Registered after `connect`, because an unconnected socket reports a hangup. One that is
      // connected by now is reported all the same.
      let registration = try loop.register(socket.descriptor, .writable, self)
      return Attempt(
        socket: socket,
        registration: registration,
        address: address,
        others: others
      )
    } catch {
      socket.close()
      throw error
    }
  }

  func ready(_ events: ReadyEvents) {
    guard
      case .attempting(let attempt) = phase, !events.isDisjoint(with: [.writable, .failed])
    else { return }
    loop.deregister(attempt.registration)
    phase = .done
    if let error = attempt.failure() {
      attempt.socket.close()
      tryNext(of: attempt.others, after: error)
    } else {
      finish(.success(attempt.socket))
    }
  }

  func loopStopped() { cancel() }
}
