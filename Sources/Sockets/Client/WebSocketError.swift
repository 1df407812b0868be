/// Why a WebSocket could not be opened or used, or why it ended.
public enum WebSocketError: Error, Hashable, Sendable {
  /// The text is not the URL of a WebSocket. Correct it.
  case invalidURL(String, WebSocketURLError)
  /// The connection could not be made, or broke; that includes TLS and proxies. Try again after a delay,
  /// unless the error says that this is of no use.
  case transport(TransportError)
  /// The peer did not agree to a WebSocket; a refusal carries status, headers and body. Look at those:
  /// what is refused once is mostly refused again.
  case handshake(HandshakeError)
  /// The server sent us where we do not go.
  case redirect(RedirectError)
  /// Connection and handshake took longer than `handshakeTimeout`. Try again after a delay.
  case handshakeTimedOut(after: Duration)
  /// The peer broke the protocol, or sent more than the limit. It was told by the code of the error.
  case protocolViolation(ProtocolError)
  /// The connection ended without a close frame. What was sent last may not have arrived: connect
  /// again, and ask the peer what it has.
  case connectionLost
  /// The peer did not answer our close frame within `closeTimeout`; the connection was dropped.
  case closeTimedOut(after: Duration)
  /// The connections of the server held more than its `memoryLimit` of messages that were unfinished or not
  /// delivered, and this one held the most: it was closed. Take messages faster, limit their length, or
  /// raise the limit.
  case overBudget(limit: Int)
  /// An address has sent more messages to a server than its ``AddressLimits/messages`` allow, and this connection the
  /// one that was too many: it was closed with 1008, and that message was not delivered. Send less often, or allow for
  /// more.
  case tooManyMessages(WebSocketRate)
  /// The peer took none of the bytes that waited to be sent for this long; the connection was dropped.
  /// Connect again, and send no faster than the peer takes: `sendWhenWritable`.
  case writeTimedOut(after: Duration)
  /// The peer has ended the connection, and no message of those that it had sent was taken for this long:
  /// the unread ones are lost. Take messages faster.
  case unreadDropped(after: Duration)
  /// Not a byte came for this long after a ping; the connection was dropped. Connect again.
  case silent(after: Duration)
  /// The WebSocket was closed, with this code and reason: no message comes any more.
  case closed(code: CloseCode, reason: String)
  /// Nothing can be sent in this state. Wait for `connected`; after the end make a new WebSocket, for one
  /// connects once.
  case notConnected(WebSocketState)
  /// A ping or a pong carries at most 125 bytes. Send fewer.
  case controlPayloadTooLong(length: Int)
  /// The code may not stand in a close frame; 1000 was sent instead. Use a code whose `isSendable` is
  /// true.
  case closeCodeNotSendable(CloseCode)
  /// What makes the connections of a ``ReconnectingWebSocket``, or resumes them, has thrown something else
  /// than a WebSocketError: this.
  case attemptFailed(reason: String)
  /// So many messages wait for a connection already. Wait for one, or allow for more.
  case backlogFull(limit: Int)
  /// All attempts of a ``ReconnectingWebSocket`` have failed; the last one for this reason, nil when the
  /// peer closed it. Tell the user, and begin again when asked to.
  indirect case gaveUp(attempts: Int, last: WebSocketError?)
}

extension WebSocketError: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .invalidURL(let url, let error): "\(url.debugDescription) is no WebSocket URL: \(error)"
    case .transport(let error): "\(error)"
    case .handshake(let error): "\(error)"
    case .redirect(let error): "\(error)"
    case .handshakeTimedOut(let limit): "no WebSocket within \(limit)"
    case .protocolViolation(let error): "the peer broke the protocol: \(error)"
    case .connectionLost: "the connection ended without a close frame"
    case .closeTimedOut(let limit): "no answer to the close frame within \(limit)"
    case .overBudget(let limit):
      "the server held more than \(limit) bytes of messages, and this connection the most"
    case .tooManyMessages(let rate):
      "more than \(rate.perSecond) messages a second came from the address, \(rate.burst) at once"
    case .writeTimedOut(let limit): "the peer took nothing of what was sent for \(limit)"
    case .unreadDropped(let limit):
      "the peer has left, and for \(limit) nobody took the messages that it had sent"
    case .silent(let limit): "nothing came from the peer for \(limit) after a ping"
    case .closed(let code, let reason):
      "the WebSocket was closed with \(code)\(reason.isEmpty ? "" : ": \(reason)")"
    case .notConnected(let state):
      "nothing can be sent while the WebSocket is \(state): "
        + (state == .idle || state == .connecting ? "await connected() first" : "make a new one")
    case .controlPayloadTooLong(let length):
      "a ping or pong of \(length) bytes; at most 125 are allowed"
    case .closeCodeNotSendable(let code): "close code \(code) may not be sent"
    case .attemptFailed(let reason): "\(reason)"
    case .backlogFull(let limit): "\(limit) messages wait for a connection already"
    case .gaveUp(let attempts, let last):
      "given up after \(attempts) attempts" + (last.map { ": \($0)" } ?? "")
    }
  }
}
