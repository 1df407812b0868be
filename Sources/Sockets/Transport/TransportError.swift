/// Why a connection could not be made, or was lost.
///
/// All but ``hostNotFound(host:reason:)``, ``addressInUse(address:)``, ``proxy(_:)`` and most of
/// ``tls(_:)`` often pass by themselves: try again after a delay that grows.
public enum TransportError: Error, Hashable, Sendable {
  /// The name has no address. Check the spelling and the machine's name server; a name that was
  /// right a moment ago may be worth another try.
  case hostNotFound(host: String, reason: String)

  /// The name servers of this machine gave no answer for so long. Check them, or try again after a delay.
  case lookupTimedOut(host: String, after: Duration)

  /// So many look-ups of names wait for name servers that do not answer, and no more are begun: this name was
  /// not looked up. Check the name servers of this machine, or try again after a delay.
  case tooManyLookups(host: String, limit: Int)

  /// The machine answered that nobody listens there. Check the port, or wait for the server.
  case refused(address: String)

  /// No route to the machine. Wait for the network, or try another address.
  case unreachable(address: String)

  /// The machine did not answer for so long that the operating system gave up. Try again later.
  case timedOut(address: String)

  /// The peer dropped the connection without closing it; what it had not read is lost. Reconnect.
  case reset

  /// Another process listens there. Choose another port, or stop the other process.
  case addressInUse(address: String)

  /// The operating system refused `operation`. Look up `errno`; running out of descriptors
  /// (`EMFILE`) or memory asks for fewer connections.
  case system(errno: Int32, operation: String)

  /// The proxy did not lead to the server. The reason tells what to do.
  case proxy(ProxyError)

  /// There is no secure connection, or it was lost. The reason tells what to do.
  case tls(TLSError)
}

extension TransportError: CustomStringConvertible {
  /// One English line.
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
    }
  }
}
