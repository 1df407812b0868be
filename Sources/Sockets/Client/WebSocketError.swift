/// Why a WebSocket could not be opened or used, or why it ended.
public enum WebSocketError: Error, Hashable, Codable, Sendable {
  /// The text is not a WebSocket URL.
  ///
  /// Correct it.
  case invalidURL(String, WebSocketURLError)
  /// The connection, its TLS or its proxy failed.
  ///
  /// Try again after a delay, unless the error rules that out.
  case transport(TransportError)
  /// The peer refused the WebSocket or sent an invalid handshake.
  ///
  /// A refusal carries status, headers and body; read those before you try again, since a refusal
  /// is mostly repeated.
  case handshake(HandshakeError)
  /// The server's redirect was not followed.
  ///
  /// Check its address and `redirectLimit`.
  case redirect(RedirectError)
  /// Connection and handshake took longer than `handshakeTimeout`.
  ///
  /// Try again after a delay.
  case handshakeTimedOut(after: Duration)
  /// The peer broke the protocol or exceeded a limit, and was sent the error's close code.
  case protocolViolation(ProtocolError)
  /// The connection ended without a close frame.
  ///
  /// The last messages may not have arrived: connect again, and ask the peer what it has received.
  case connectionLost
  /// The peer did not answer our close frame within `closeTimeout`; the connection was dropped.
  case closeTimedOut(after: Duration)
  /// The server's connections held more than its `memoryLimit` of messages.
  ///
  /// Messages count while they are unfinished or undelivered. This connection held the most and was
  /// closed. Take messages faster, limit their length, or raise the limit.
  case overBudget(limit: Int)
  /// An address sent more messages than the server's ``AddressLimits/messages`` allow.
  ///
  /// This connection sent the first message over the limit. The message was not delivered, and the
  /// connection was closed with 1008. Send less often, or raise the limit.
  case tooManyMessages(WebSocketRate)
  /// The peer took no queued byte for this long; the connection was dropped.
  ///
  /// Connect again, and send no faster than the peer reads, with `sendWhenWritable`.
  case writeTimedOut(after: Duration)
  /// The peer ended the connection, and its remaining messages were not taken for this long.
  ///
  /// The unread messages are lost. Take messages faster.
  case unreadDropped(after: Duration)
  /// No byte arrived for this long after a ping; the connection was dropped.
  ///
  /// Connect again.
  case silent(after: Duration)
  /// The WebSocket was closed with this code and reason; there are no more messages.
  case closed(code: CloseCode, reason: String)
  /// Nothing can be sent in this state.
  ///
  /// Wait for `connected`; after the end create a new WebSocket, since one connects only once.
  case notConnected(WebSocketState)
  /// A ping or a pong carries at most 125 bytes.
  ///
  /// Send fewer.
  case controlPayloadTooLong(length: Int)
  /// The code is not allowed in a close frame; 1000 was sent.
  ///
  /// Use a code whose `isSendable` is true.
  case closeCodeNotSendable(CloseCode)
  /// The connect closure or the resume hook of a ``ReconnectingWebSocket`` threw another error:
  /// `reason`.
  case attemptFailed(reason: String)
  /// The backlog already holds `limit` messages.
  ///
  /// Wait for a connection, or raise the limit.
  case backlogFull(limit: Int)
  /// All attempts of a ``ReconnectingWebSocket`` failed; `last` is nil when the peer closed the
  /// last one.
  ///
  /// Inform the user, and create a new WebSocket on demand.
  indirect case gaveUp(attempts: Int, last: WebSocketError?)
}

extension WebSocketError: CustomStringConvertible {
  /// One line: the reason and its numbers.
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
    case .writeTimedOut(let limit): "the peer accepted no bytes for \(limit)"
    case .unreadDropped(let limit):
      "the peer has closed, and its messages were not read for \(limit)"
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
