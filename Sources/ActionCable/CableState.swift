#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of a ``CableClient``.
public enum CableState: Hashable, Codable, Sendable {
  /// `connect()` was not called yet.
  case idle
  /// A WebSocket is being connected; the first attempt since the last welcome is number 1.
  case connecting(attempt: Int)
  /// The WebSocket is open, and the server has not sent its welcome yet.
  case awaitingWelcome
  /// The server has sent its welcome: channels are subscribed and usable.
  case connected
  /// There is no connection; another attempt follows.
  case waitingToReconnect
  /// Disconnected until `connect()` is called, for this reason.
  case disconnected(CableDisconnection.Cause)
}

/// How a connection ended.
public struct CableDisconnection: Hashable, Codable, Sendable {
  /// Why a connection ended.
  public enum Cause: Hashable, Codable, Sendable {
    /// `disconnect()` was called.
    case requested
    /// The server announced it, with a reason such as `unauthorized`, `server_restart` or `remote`.
    case announced(reason: String?)
    /// The server closed the WebSocket, with this code and reason.
    case closed(CloseCode, reason: String)
    /// No message arrived for more than 6 seconds.
    case stale
    /// The connection failed or broke.
    case failed(CableError)
  }

  /// The reason.
  public let cause: Cause
  /// Whether the client connects again by itself.
  public let willReconnect: Bool

  /// Creates a disconnection, as for a test that expects it.
  public init(cause: Cause, willReconnect: Bool) {
    (self.cause, self.willReconnect) = (cause, willReconnect)
  }
}

/// The events of a ``CableClient``, in order.
public enum CableEvent: Hashable, Codable, Sendable {
  /// The server accepted the connection; `reconnected` when an earlier connection was lost.
  case connected(reconnected: Bool)
  /// A ping of the server, which sends one every 3 seconds.
  case ping
  /// A connection has ended; emitted once for each.
  case disconnected(CableDisconnection)
  /// An attempt to connect has failed.
  case attemptFailed(CableError, willRetry: Bool)
  /// The server sent a message that the protocol does not define; it is ignored.
  case notUnderstood(WebSocketMessage)
}

/// The state of a ``CableChannel``.
public enum CableChannelState: Hashable, Codable, Sendable {
  /// `subscribe()` was not called, or `unsubscribe()` was.
  case unsubscribed
  /// `subscribe()` was called; the connection or the server's answer is awaited.
  case pending
  /// The server has confirmed it.
  case subscribed
  /// The server has rejected it; the client asks again only when `subscribe()` is called.
  case rejected
  /// The server did not answer in time.
  ///
  /// The client asks again after the next welcome, or when `subscribe()` is called.
  case timedOut
}

/// The events of a ``CableChannel``, in order.
public enum CableChannelEvent: Hashable, Codable, Sendable {
  /// The server has confirmed it.
  ///
  /// `reconnected` is true when it was subscribed on a connection that was lost, so that messages
  /// may have been missed.
  case subscribed(reconnected: Bool)
  /// A message arrived, possibly before `subscribed`.
  case message(JSONValue)
  /// `unsubscribe()` was called.
  case unsubscribed
  /// The server has rejected it.
  case rejected
  /// The server did not answer within ``CableConfiguration/subscriptionTimeout``.
  case timedOut(after: Duration)
  /// The connection has ended.
  ///
  /// With `willReconnect` the channel is subscribed again after reconnecting.
  case disconnected(CableDisconnection)
  /// A call that ``CableChannel/perform(_:_:)`` took was not performed, or may not have been.
  ///
  /// The error is `notSubscribed`, `neverWritten` or `mayBeLost`. The event is emitted once for
  /// each such call. For calls that were sent it follows `disconnected`: at once for written calls,
  /// and when the socket has ended for the others, within `closeTimeout`, 5 seconds.
  case performFailed(CableCall, CableError)
}

/// A call of an action of a channel.
public struct CableCall: Hashable, Codable, Sendable {
  /// The method of the channel on the server; empty for its `receive`.
  public let action: String
  /// The arguments of the call.
  public let data: [String: JSONValue]

  /// Creates a call of this method with this data.
  public init(action: String = "", data: [String: JSONValue] = [:]) {
    (self.action, self.data) = (action, data)
  }

  /// The data as it is sent, with the action in it.
  var payload: JSONValue {
    .object(action.isEmpty ? data : data.merging(["action": .string(action)]) { $1 })
  }
}

/// The immediate result of a call of an action.
public enum CableCallResult: Hashable, Codable, Sendable {
  /// The call was passed to the connection.
  ///
  /// A call that the connection loses is reported by ``CableChannelEvent/performFailed(_:_:)``.
  /// Whether the server has performed the call is not reported.
  case sent
  /// The call is sent once the server confirms the channel.
  case buffered
}

/// An error of a cable, its channels or calls.
public enum CableError: Error, Hashable, Codable, Sendable {
  /// The WebSocket could not be opened, or broke.
  ///
  /// A refusal with status 404 mostly means that the server does not allow the `Origin`.
  case socket(WebSocketError)
  /// The closure that creates the request threw this error.
  case request(String)
  /// The server chose another protocol, or none.
  ///
  /// The client does not try again.
  case unsupportedProtocol(String?)
  /// No call is possible in this state.
  ///
  /// Wait for `subscribed`, or buffer.
  case notSubscribed(CableChannelState)
  /// The buffer of waiting calls is full.
  ///
  /// Wait for `subscribed`.
  case bufferFull(limit: Int)
  /// The connection has ``CableConfiguration/unconfirmedCallLimit`` unconfirmed calls.
  ///
  /// The call was not taken. Call again when the server has confirmed earlier calls, or raise the
  /// limit.
  case tooManyUnconfirmed(limit: Int)
  /// The connection ended before the call was written: the server never performs it.
  ///
  /// A repeated call cannot be performed twice.
  case neverWritten
  /// The call was written, but the connection ended before the server confirmed it.
  ///
  /// The server had not shown that it had read the call, or not that it was alive a second after that.
  /// The call may or may not have been performed. Repeat only calls that may be performed twice, or
  /// ask the server.
  case mayBeLost
}

extension CableError: CustomStringConvertible {
  /// One line: the reason.
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

/// The treatment of calls before a channel is confirmed.
public enum CableBuffering: Hashable, Sendable {
  /// Calls fail at once.
  case fail
  /// Up to `limit` calls wait for the confirmation; more fail at once.
  case buffer(limit: Int)
}

/// The options of a channel.
public struct CableChannelOptions: Hashable, Sendable {
  /// Whether the channel subscribes when it is created: true.
  public var autoSubscribe: Bool
  /// The treatment of calls before the channel is confirmed: they fail, by default.
  public var buffering: CableBuffering

  /// Creates options with these values.
  public init(autoSubscribe: Bool = true, buffering: CableBuffering = .fail) {
    (self.autoSubscribe, self.buffering) = (autoSubscribe, buffering)
  }
}

extension CableError: LocalizedError {
  /// The description, which `localizedDescription` shows.
  public var errorDescription: String? { description }
}
