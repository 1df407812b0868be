import Foundation

/// One of two WebSockets that are connected to each other, without a network, bytes or a thread.
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
/// A message is delivered to the observers of the other end before `send` returns. A message that
/// is sent during a delivery is delivered after it. With a latency, a message is delivered when the
/// scheduler has advanced by the latency. Closing, failing and releasing have the same effect as on
/// a `WebSocket` and its peer, with the same events in the same order.
public final class MockWebSocket: WebSocketType {
  private let endpoint: MockEndpoint

  private init(_ endpoint: MockEndpoint) { self.endpoint = endpoint }

  deinit { close(code: .goingAway) }

  /// The two ends of a connection.
  ///
  /// - Parameters:
  ///   - isOpen: true, the default, for a connected pair. With false, the ends are connected after
  ///     `connect()` was called on both; the server's call accepts the connection.
  ///   - subprotocol: agreed subprotocol; nil by default.
  public static func pair(
    isOpen: Bool = true,
    subprotocol: String? = nil
  ) -> (client: MockWebSocket, server: MockWebSocket) {
    pair(isOpen, subprotocol, MockDeliveryDriver(afterLatency: { $0() }), nil)
  }

  /// The two ends of a connection with a latency.
  ///
  /// - Parameters:
  ///   - isOpen: true, the default, for a connected pair. With false, the ends are connected after
  ///     `connect()` was called on both; the server's call accepts the connection.
  ///   - subprotocol: agreed subprotocol; nil by default.
  ///   - latency: time between a call on one end and its delivery on the other.
  ///   - scheduler: clock of the latency.
  public static func pair(
    isOpen: Bool = true,
    subprotocol: String? = nil,
    latency: Duration,
    scheduler: any SchedulerType
  ) -> (client: MockWebSocket, server: MockWebSocket) {
    let deliveries = MockDeliveryDriver(afterLatency: {
      _ = scheduler.after(RxTimeInterval(latency), $0)
    })
    return pair(isOpen, subprotocol, deliveries, scheduler)
  }

  private static func pair(
    _ isOpen: Bool,
    _ subprotocol: String?,
    _ deliveries: MockDeliveryDriver,
    _ scheduler: (any SchedulerType)?
  ) -> (client: MockWebSocket, server: MockWebSocket) {
    let (client, server) = MockEndpoint.pair(
      deliveries, isOpen: isOpen, subprotocol: subprotocol, scheduler: scheduler)
    return (MockWebSocket(client), MockWebSocket(server))
  }

  // MARK: WebSocketType

  /// The current state.
  ///
  /// It changes before `states` and `events` deliver the change.
  public var state: WebSocketState { endpoint.state }

  /// The state, beginning with the current one; completes after `disconnected`.
  public var states: Observable<WebSocketState> { endpoint.states.observable(keeping: self) }

  /// Connection, messages, errors and the end.
  ///
  /// Events before the first subscription are buffered for the first observer.
  public var events: Observable<WebSocketEvent> { endpoint.events.observable(keeping: self) }

  /// The received messages, except for the replies to requests.
  ///
  /// Messages before the first subscription are buffered for the first observer.
  public var messages: Observable<WebSocketMessage> { endpoint.messages.observable(keeping: self) }

  /// The requests of this end that wait for replies, and their counts.
  ///
  /// Their deadlines follow the scheduler of the latency. Without a latency they follow the clock of
  /// the composer or test that makes the request, otherwise the system's.
  public var pendingRequests: PendingRequests { endpoint.pendingRequests }

  /// The subprotocol of the pair; nil before `connected`.
  public var subprotocol: String? { endpoint.subprotocol }

  /// Connects, or accepts the connection of the other end.
  public func connect() { endpoint.connect() }

  /// Sends a message to the other end.
  public func send(_ message: WebSocketMessage) throws(WebSocketError) {
    try endpoint.send(message)
  }

  /// Closes the connection.
  ///
  /// The state has changed when this returns.
  ///
  /// The other end answers after the latency; without a latency, before this returns.
  public func close(code: CloseCode = .normal, reason: String = "") { endpoint.close(code, reason) }

  /// Counts the call: a mock does not wait for an attempt to connect.
  public func reconnectNow() { endpoint.reconnectNow() }

  // MARK: Control by a test

  /// Breaks the connection: this end fails with `error`, the other end with `connectionLost`.
  public func fail(_ error: WebSocketError) { endpoint.fail(error) }

  /// Counts a ping.
  ///
  /// The other end answers at once.
  ///
  /// - Throws: `notConnected` unless the state is `connected`.
  public func ping() throws(WebSocketError) { try endpoint.ping() }

  /// The number of pings of this end.
  public var pings: Int { endpoint.pings }

  /// The number of calls of ``reconnectNow()``, as by a composer's `handle.reconnectNow()`.
  public var reconnectNowCalls: Int { endpoint.reconnectNowCalls }

  /// The error for a reader that waits for a message after the end.
  var endError: WebSocketError { endpoint.endError }

  /// The messages that this end has sent.
  public var sent: [WebSocketMessage] { endpoint.sent }

  /// The messages that this end has received, replies included.
  public var received: [WebSocketMessage] { endpoint.received }
}
