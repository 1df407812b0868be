#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The interface of every WebSocket: ``WebSocket``, ``ReconnectingWebSocket`` and a test's mock.
///
/// Code that takes `any WebSocketType` works with each of them. They deliver in the order in which
/// things happen, and on one thread at a time.
public protocol WebSocketType: AnyObject, Sendable {
  /// The current state; it changes before `states` and `events` emit the change.
  var state: WebSocketState { get }

  /// The state, beginning with the current one; completes after the last `disconnected`.
  var states: Observable<WebSocketState> { get }

  /// Connection, messages, errors and the end; completes after the last `disconnected`.
  ///
  /// It never fails. Replies to requests are not among the messages.
  var events: Observable<WebSocketEvent> { get }

  /// The messages, except for the replies to requests.
  ///
  /// Completes when the WebSocket is closed for good, and fails with a ``WebSocketError`` when it
  /// breaks for good.
  var messages: Observable<WebSocketMessage> { get }

  /// The agreed subprotocol; nil without a connection, and when there is none.
  var subprotocol: String? { get }

  /// The requests that wait for replies, and their counts.
  var pendingRequests: PendingRequests { get }

  /// Begins to connect, the first time it is called.
  func connect()

  /// Sends a whole message, after all messages that were sent before.
  ///
  /// - Throws: `notConnected` in a state in which nothing can be sent.
  func send(_ message: WebSocketMessage) throws(WebSocketError)

  /// Closes for good; the state has changed when this returns.
  func close(code: CloseCode, reason: String)

  /// Ends a wait for the next attempt to connect, which begins now.
  ///
  /// Does nothing while there is no wait, and in a WebSocket that does not connect again.
  func reconnectNow()
}

extension WebSocketType {
  /// Does nothing: the WebSocket does not connect again.
  public func reconnectNow() {}

  /// Sends a text message.
  public func send(_ text: String) throws(WebSocketError) { try send(.text(text)) }

  /// Sends a binary message.
  public func send(_ data: Data) throws(WebSocketError) { try send(.binary(data)) }

  /// Sends the JSON of a value as a text message.
  ///
  /// - Throws: ``WebSocketMessageError/notEncodable(_:reason:)``, and then nothing is sent; errors
  ///   of `send`.
  public func send(json value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws {
    try send(.json(value, encoder: encoder))
  }

  /// Closes for good; the state has changed when this returns.
  ///
  /// - Parameters:
  ///   - code: close code; 1000 by default.
  ///   - reason: text for logs; cut to 123 bytes of UTF-8.
  public func close(code: CloseCode = .normal, reason: String = "") {
    close(code: code, reason: reason)
  }
}

extension WebSocket: WebSocketType {}
