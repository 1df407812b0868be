/// Where a ``CableClient`` is.
public enum CableState: Hashable, Sendable {
  /// `connect()` was not called yet.
  case idle
  /// A WebSocket is on its way to the server; the first attempt since the last welcome is number 1.
  case connecting(attempt: Int)
  /// There is a WebSocket, and no welcome yet.
  case open
  /// Welcome: channels are subscribed, and may be used.
  case ready
  /// There is no connection; another one will be tried.
  case waiting
  /// Over until `connect()` is called, for this reason.
  case closed(CableDisconnection.Cause)
}

/// How a connection ended.
public struct CableDisconnection: Hashable, Sendable {
  /// Why a connection ended.
  public enum Cause: Hashable, Sendable {
    /// `disconnect()` was called.
    case requested
    /// The server said so, with a reason such as `unauthorized`, `server_restart` or `remote`.
    case announced(reason: String?)
    /// The server closed the WebSocket, with this code and reason.
    case closed(CloseCode, reason: String)
    /// Nothing came for more than 6 seconds.
    case stale
    /// It could not be made, or broke.
    case failed(CableError)
  }

  /// Why.
  public let cause: Cause
  /// Whether the client connects again by itself.
  public let willReconnect: Bool

  /// An ending of these parts, as a test expects it.
  public init(cause: Cause, willReconnect: Bool) {
    (self.cause, self.willReconnect) = (cause, willReconnect)
  }
}

/// What happens to a ``CableClient``, in order.
public enum CableEvent: Hashable, Sendable {
  /// The server lets the connection in; `reconnected` when there was one before that was lost.
  case connected(reconnected: Bool)
  /// A sign of life, which the server sends every 3 seconds.
  case ping
  /// A connection has ended, once for each.
  case disconnected(CableDisconnection)
  /// An attempt to connect has failed.
  case attemptFailed(CableError, willRetry: Bool)
  /// The server sent what the protocol does not know; nothing else comes of it.
  case notUnderstood(WebSocketMessage)
}

/// Where a ``CableChannel`` is.
public enum CableChannelState: Hashable, Sendable {
  /// Not wanted: `subscribe()` was not called, or `unsubscribe()` was.
  case unsubscribed
  /// Wanted, and waiting for the connection or for the server's answer.
  case pending
  /// The server has confirmed it.
  case subscribed
  /// The server has rejected it: it is not asked for again until `subscribe()` is called.
  case rejected
  /// The server did not answer in time: it is asked for again after the next welcome, or when
  /// `subscribe()` is called.
  case timedOut
}

/// What happens to a ``CableChannel``, in order.
public enum CableChannelEvent: Hashable, Sendable {
  /// The server has confirmed it; `reconnected` when it was subscribed before on a connection that was
  /// lost, so that messages may have been missed.
  case subscribed(reconnected: Bool)
  /// A message came; it may come before `subscribed`.
  case message(JSONValue)
  /// `unsubscribe()` was called.
  case unsubscribed
  /// The server has rejected it.
  case rejected
  /// The server did not answer within the time of ``CableConfiguration/subscriptionTimeout``.
  case timedOut(after: Duration)
  /// The connection has ended. With `willReconnect` the channel is subscribed again after it.
  case disconnected(CableDisconnection)
  /// A call that ``CableChannel/perform(_:_:)`` took was not carried out, or may not have been: `notSubscribed`,
  /// `neverWritten` or `mayBeLost`.
  ///
  /// Emitted once for each such call. For calls that were sent it follows `disconnected`: at once for those that
  /// were written, and when the socket has ended for the others, within `closeTimeout`, 5 seconds.
  case performFailed(CableCall, CableError)
}

/// A call of an action of a channel.
public struct CableCall: Hashable, Sendable {
  /// The method of the channel on the server; empty for its `receive`.
  public let action: String
  /// What it is given.
  public let data: [String: JSONValue]

  /// A call of this method with this data.
  public init(action: String = "", data: [String: JSONValue] = [:]) {
    (self.action, self.data) = (action, data)
  }

  /// The data with the action in it, as it is sent.
  var payload: JSONValue {
    .object(action.isEmpty ? data : data.merging(["action": .string(action)]) { $1 })
  }
}

/// What became of a call of an action.
public enum CableCallResult: Hashable, Sendable {
  /// It was handed to the connection. What the connection loses is reported by
  /// ``CableChannelEvent/performFailed(_:_:)``; whether the server has carried it out is not reported.
  case sent
  /// It is sent once the server confirms the channel.
  case buffered
}

/// What goes wrong with a cable.
public enum CableError: Error, Hashable, Sendable {
  /// The WebSocket could not be opened, or broke. A refusal with status 404 mostly means that the server
  /// does not allow the `Origin`.
  case socket(WebSocketError)
  /// The closure that makes the request has thrown this.
  case request(String)
  /// The server speaks another version of the protocol, or none. It is not tried again.
  case unsupportedProtocol(String?)
  /// Nothing can be performed in this state. Wait for `subscribed`, or buffer.
  case notSubscribed(CableChannelState)
  /// As many calls wait already as may. Wait for `subscribed`.
  case bufferFull(limit: Int)
  /// As many calls of the connection are unconfirmed as may be: see ``CableConfiguration/unconfirmedLimit``.
  ///
  /// The call was not taken. Call again when the server has answered, or allow for more.
  case tooManyUnconfirmed(limit: Int)
  /// The connection ended before the call was written: the server has not carried it out, and will not.
  ///
  /// It may be called again without being carried out twice.
  case neverWritten
  /// The call was written, and the connection ended before the server showed that it had read it, or within a
  /// second after that: it may or may not have been carried out.
  ///
  /// Call again only what may be carried out twice, or ask the server first.
  case mayBeLost
}

extension CableError: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .socket(let error): "\(error)"
    case .request(let error): "no request could be made: \(error)"
    case .unsupportedProtocol(let name):
      "the server chose protocol \(name ?? "none") instead of \(CableConfiguration.subprotocol)"
    case .notSubscribed(let state): "nothing can be performed while the channel is \(state)"
    case .bufferFull(let limit): "\(limit) calls wait already"
    case .tooManyUnconfirmed(let limit): "the server has not confirmed \(limit) calls yet"
    case .neverWritten: "the connection ended before it was written"
    case .mayBeLost: "the connection ended before the server confirmed it"
    }
  }
}

/// What a channel does with calls before it is confirmed.
public enum CableBuffering: Hashable, Sendable {
  /// They fail at once.
  case fail
  /// Up to this many wait for the confirmation; more fail at once.
  case buffer(limit: Int)
}

/// How a channel behaves.
public struct CableChannelOptions: Hashable, Sendable {
  /// Whether it subscribes at once, rather than when `subscribe()` is called: true.
  public var autoSubscribe: Bool
  /// What it does with calls before it is confirmed: they fail, by default.
  public var buffering: CableBuffering

  /// Options of these values.
  public init(autoSubscribe: Bool = true, buffering: CableBuffering = .fail) {
    (self.autoSubscribe, self.buffering) = (autoSubscribe, buffering)
  }
}
