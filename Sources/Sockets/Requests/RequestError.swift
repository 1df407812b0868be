/// Why a request has no reply.
public enum RequestError: Error, Hashable, Codable, Sendable {
  /// The request could not be encoded; nothing was sent.
  ///
  /// Correct its encoding.
  case invalidRequest(WebSocketMessageError)
  /// An earlier request with this key waits for its reply; nothing was sent.
  ///
  /// Give each request a key of its own.
  case keyInUse(String)
  /// The socket did not accept the request, or dropped it before it was sent.
  ///
  /// The peer has not received it, so it can be repeated.
  case notSent(WebSocketError)
  /// The connection ended after the request was sent; by `closed` if either side closed it.
  ///
  /// The peer may have processed the request. Repeat it if that does no harm, or use
  /// ``LostRequestPolicy/resend``.
  case connectionLost(WebSocketError)
  /// No reply arrived in this time.
  ///
  /// The peer may have processed the request, and its reply may still arrive.
  case timedOut(after: Duration)
  /// The reply has the key of the request, but not the expected type.
  ///
  /// Correct the type, or the peer.
  case invalidReply(WebSocketMessageError)
}

extension RequestError: CustomStringConvertible {
  /// One line: the reason and its numbers.
  public var description: String {
    switch self {
    case .invalidRequest(let error): "\(error)"
    case .keyInUse(let key): "a request with the key \(key) waits for its reply already"
    case .notSent(let error): "the request was not sent: \(error)"
    case .connectionLost(let error): "the connection ended before the reply: \(error)"
    case .timedOut(let limit): "no reply within \(limit)"
    case .invalidReply(let error): "the reply is not understood: \(error)"
    }
  }
}
