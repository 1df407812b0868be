import Foundation

/// One of two WebSockets that are each other's peer: no network, no bytes, no thread.
///
/// ```swift
/// let (client, server) = MockWebSocket.pair()
/// try server.send("welcome")
/// chat.join(over: client)
/// #expect(server.received == [.text("hello")])
/// client.close()
/// #expect(server.state == .disconnected)
/// ```
///
/// What one end sends, the other one delivers before `send` returns, unless that is called while
/// something is being delivered: then after that. With a latency it arrives when the scheduler's time has
/// come. Closing, failing and being released do what they do to a ``WebSocket`` and its peer, with the
/// same events in the same order.
public final class MockWebSocket: WebSocketType {
  private let end: MockEnd

  private init(_ end: MockEnd) { self.end = end }

  deinit { close(code: .goingAway) }

  /// Two ends of one connection.
  ///
  /// - Parameters:
  ///   - isOpen: whether they are connected already, as by default; otherwise they are once `connect()` was
  ///     called on both: on the second one the server accepts.
  ///   - subprotocol: what they agreed upon; nothing by default.
  public static func pair(
    isOpen: Bool = true,
    subprotocol: String? = nil
  ) -> (client: MockWebSocket, server: MockWebSocket) {
    pair(isOpen, subprotocol, MockWire { $0() })
  }

  /// Two ends of one connection, between which everything takes `latency` of the scheduler's time.
  public static func pair(
    isOpen: Bool = true,
    subprotocol: String? = nil,
    latency: RxTimeInterval,
    scheduler: any SchedulerType
  ) -> (client: MockWebSocket, server: MockWebSocket) {
    pair(isOpen, subprotocol, MockWire { _ = scheduler.after(latency, $0) })
  }

  private static func pair(
    _ isOpen: Bool, _ subprotocol: String?, _ wire: MockWire
  ) -> (client: MockWebSocket, server: MockWebSocket) {
    let ends = MockEnd.pair(wire, isOpen: isOpen, subprotocol: subprotocol)
    return (MockWebSocket(ends.0), MockWebSocket(ends.1))
  }

  // MARK: What a WebSocket does

  /// The current state; it changes before `states` and `events` tell.
  public var state: WebSocketState { end.state }

  /// The state, beginning with the current one; completes after `disconnected`.
  public var states: Observable<WebSocketState> { end.states.observable(keeping: self) }

  /// Connection, messages, errors and the end; those before the first observer are kept for it.
  public var events: Observable<WebSocketEvent> { end.events.observable(keeping: self) }

  /// The messages; those before the first observer are kept for it.
  public var messages: Observable<WebSocketMessage> { end.messages.observable(keeping: self) }

  /// The subprotocol of the pair; nil before `connected`.
  public var subprotocol: String? { end.subprotocol }

  /// Connects, or accepts that the other end does.
  public func connect() { end.connect() }

  /// Sends a message to the other end.
  public func send(_ message: WebSocketMessage) throws(WebSocketError) { try end.send(message) }

  /// Closes: in effect before it returns.
  ///
  /// The other end answers; without latency, at once.
  public func close(code: CloseCode = .normal, reason: String = "") { end.close(code, reason) }

  // MARK: What a test does

  /// Breaks the connection: this end fails with `error`, the other one with `connectionLost`.
  public func fail(_ error: WebSocketError) { end.fail(error) }

  /// Counts a ping, which the other end answers at once.
  ///
  /// - Throws: `notConnected` unless the state is `connected`.
  public func ping() throws(WebSocketError) { try end.ping() }

  /// How often this end was asked to ping.
  public var pings: Int { end.pings }

  /// What to throw when a message is wanted and none comes any more.
  var ending: WebSocketError { end.ending }

  /// What was sent from this end.
  public var sent: [WebSocketMessage] { end.sent }

  /// What has arrived at this end.
  public var received: [WebSocketMessage] { end.received }
}
