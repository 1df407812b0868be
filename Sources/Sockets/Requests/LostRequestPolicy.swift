/// The treatment of a sent request whose connection ends before the reply.
public enum LostRequestPolicy: Hashable, Sendable {
  /// The request fails at once with ``RequestError/connectionLost(_:)``.
  case fail
  /// A ``ReconnectingWebSocket`` sends the request again when it has reconnected.
  ///
  /// For idempotent requests: the peer may have processed the request already. The deadline stays
  /// the same. A socket that does not reconnect has no further connection: the request fails.
  case resend
}
