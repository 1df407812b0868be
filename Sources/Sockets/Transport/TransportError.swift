/// The reason why a connection could not be made, or was lost.
///
/// Most causes are temporary: try again, with growing delays. The exceptions are
/// ``hostNotFound(host:reason:)``, ``addressInUse(address:)``, ``proxy(_:)`` and most cases of
/// ``tls(_:)``.
public enum TransportError: Error, Hashable, Codable, Sendable {
  /// The name has no address. Check the spelling and the machine's name server; if the name was
  /// right a moment ago, try again.
  case hostNotFound(host: String, reason: String)

  /// The name servers of this machine did not answer in time. Check them, or try again after a
  /// delay.
  case lookupTimedOut(host: String, after: Duration)

  /// This name was not looked up, because `limit` other look-ups have no answer yet. Check the name
  /// servers of this machine, or try again after a delay.
  case tooManyLookups(host: String, limit: Int)

  /// No program listens at that address. Check the port, or wait for the server.
  case refused(address: String)

  /// There is no route to the machine. Wait for the network, or try another address.
  case unreachable(address: String)

  /// The machine did not answer before the operating system's time limit. Try again later.
  case timedOut(address: String)

  /// The peer reset the connection; what it had not read is lost. Reconnect.
  case reset

  /// Another process listens at that address. Choose another port, or stop the other process.
  case addressInUse(address: String)

  /// The operating system refused `operation`. Look up `errno`; `EMFILE` (no more descriptors) and
  /// `ENOMEM` (no more memory) require fewer connections.
  case system(errno: Int32, operation: String)

  /// The proxy did not connect to the server. The associated error says what to do.
  case proxy(ProxyError)

  /// The TLS connection was not made, or was lost. The associated error says what to do.
  case tls(TLSError)

  /// The library that moves the bytes of an ``AdoptedConnection`` has reported an error, which `reason`
  /// describes. Look it up in that library.
  case channel(reason: String)
}

extension TransportError: CustomStringConvertible {
  /// The error as one line of English.
  public var description: String {
    switch self {
    case .hostNotFound(let host, let reason): "no address found for \(host): \(reason)"
    case .lookupTimedOut(let host, let limit): "no answer to the look-up of \(host) within \(limit)"
    case .tooManyLookups(let host, let limit):
      "\(host) is not looked up: \(limit) look-ups of other names have no answer"
    case .refused(let address): "\(address) refused the connection"
    case .unreachable(let address): "\(address) cannot be reached"
    case .timedOut(let address): "\(address) does not answer"
    case .reset: "the peer reset the connection"
    case .addressInUse(let address): "\(address) is already in use"
    case .system(let errno, let operation): "\(operation) failed: \(systemMessage(errno))"
    case .proxy(let error): "\(error)"
    case .tls(let error): "\(error)"
    case .channel(let reason): "the connection's channel failed: \(reason)"
    }
  }
}
