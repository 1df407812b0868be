import Foundation

/// One endpoint of a mock connection; ``MockWebSocket`` is its public face.
final class MockEndpoint: Sendable {
  let states: ReplayingHub<WebSocketState>
  let events = ReplayingHub<WebSocketEvent>(capacity: 1_024, handsOver: true)
  let messages = ReplayingHub<WebSocketMessage>(capacity: 1_024, handsOver: true)
  let pendingRequests: PendingRequests

  private struct EndpointState {
    var state: WebSocketState
    /// The other endpoint.
    ///
    /// Nil after the end: both endpoints hold each other until then.
    var peer: MockEndpoint?
    /// Whether the other endpoint has called `connect()`.
    var hasPeerConnected: Bool
    var sent: [WebSocketMessage] = []
    var received: [WebSocketMessage] = []
    var pings = 0
    var reconnectNowCalls = 0
    /// The error for a reader or a request that waits for a message after the end.
    var endError = WebSocketError.closed(code: .abnormal, reason: "")
  }

  private let content: Locked<EndpointState>
  private let deliveries: MockDeliveryDriver
  private let agreedSubprotocol: String?

  static func pair(
    _ deliveries: MockDeliveryDriver,
    isOpen: Bool,
    subprotocol: String?,
    scheduler: (any SchedulerType)?
  ) -> (MockEndpoint, MockEndpoint) {
    let first = MockEndpoint(deliveries, isOpen, subprotocol, scheduler)
    let second = MockEndpoint(deliveries, isOpen, subprotocol, scheduler)
    first.content.withLock { $0.peer = second }
    second.content.withLock { $0.peer = first }
    return (first, second)
  }

  private init(
    _ deliveries: MockDeliveryDriver,
    _ isOpen: Bool,
    _ subprotocol: String?,
    _ scheduler: (any SchedulerType)?
  ) {
    self.deliveries = deliveries
    pendingRequests = PendingRequests(scheduler: scheduler)
    agreedSubprotocol = subprotocol
    let state: WebSocketState = isOpen ? .connected : .idle
    content = Locked(EndpointState(state: state, hasPeerConnected: isOpen))
    states = ReplayingHub(value: state)
    if isOpen { events.next(.connected) }
  }

  var state: WebSocketState { content.withLock { $0.state } }
  var sent: [WebSocketMessage] { content.withLock { $0.sent } }
  var received: [WebSocketMessage] { content.withLock { $0.received } }
  var pings: Int { content.withLock { $0.pings } }
  var reconnectNowCalls: Int { content.withLock { $0.reconnectNowCalls } }
  var endError: WebSocketError { content.withLock { $0.endError } }
  var subprotocol: String? { state == .idle || state == .connecting ? nil : agreedSubprotocol }

  // MARK: Calls of this side

  func connect() {
    let isFirstCall = content.withLock { content in
      guard content.state == .idle else { return false }
      content.state = .connecting
      return true
    }
    guard isFirstCall else { return }
    deliveries.add { self.states.next(.connecting) }
    toPeer { $0.peerConnected() }
    openIfBothHaveConnected()
  }

  func send(_ message: WebSocketMessage) throws(WebSocketError) {
    try content.withLock { content throws(WebSocketError) in
      guard content.state == .connected else { throw .notConnected(content.state) }
      content.sent.append(message)
    }
    toPeer { $0.receive(message) }
  }

  func ping() throws(WebSocketError) {
    try content.withLock { content throws(WebSocketError) in
      guard content.state == .connected else { throw .notConnected(content.state) }
      content.pings += 1
    }
  }

  func reconnectNow() { content.withLock { $0.reconnectNowCalls += 1 } }

  func close(_ code: CloseCode, _ reason: String) {
    let previous = content.withLock { content in
      defer {
        if [.connecting, .connected].contains(content.state) { content.state = .disconnecting }
      }
      return content.state
    }
    switch previous {
    case .idle, .connecting:
      if previous == .connecting { deliveries.add { self.states.next(.disconnecting) } }
      toPeer { $0.end(.connectionLost) }
      end(nil)
    case .connected:
      deliveries.add {
        if !code.isSendable { self.events.next(.error(.closeCodeNotSendable(code))) }
        self.states.next(.disconnecting)
      }
      let sendable = code.isSendable ? code : .normal
      toPeer { $0.peerClosed(sendable, reason) }
    case .disconnecting, .disconnected: break
    }
  }

  func fail(_ error: WebSocketError) {
    toPeer { $0.end(.connectionLost) }
    end(error)
  }

  private func toPeer(_ body: @escaping @Sendable (MockEndpoint) -> Void) {
    guard let peer = content.withLock({ $0.peer }) else { return }
    deliveries.addAfterLatency { body(peer) }
  }

  // MARK: Deliveries of the other side

  private func peerConnected() {
    content.withLock { $0.hasPeerConnected = true }
    openIfBothHaveConnected()
  }

  private func openIfBothHaveConnected() {
    let opens = content.withLock { content in
      guard content.state == .connecting, content.hasPeerConnected else { return false }
      content.state = .connected
      return true
    }
    guard opens else { return }
    deliveries.add {
      self.states.next(.connected)
      self.events.next(.connected)
    }
  }

  private func receive(_ message: WebSocketMessage) {
    let isDelivered = content.withLock { content in
      guard content.state == .connected || content.state == .disconnecting else { return false }
      content.received.append(message)
      return true
    }
    guard isDelivered, !pendingRequests.take(message) else { return }
    messages.next(message)
    events.next(.message(message))
  }

  private func peerClosed(_ code: CloseCode, _ reason: String) {
    toPeer { $0.end(nil, code) }
    end(nil, code, reason)
  }

  /// Ends the connection, unless it has ended.
  private func end(
    _ error: WebSocketError?, _ code: CloseCode = .abnormal, _ reason: String = ""
  ) {
    let (previous, peer) = content.withLock { content in
      defer {
        content.state = .disconnected
        content.peer = nil
      }
      if content.state != .disconnected {
        content.endError = error ?? .closed(code: code, reason: reason)
      }
      return (content.state, content.peer)
    }
    if previous == .disconnected { return }
    deliveries.add {
      self.pendingRequests.connectionEnded(self.endError)
      if let error { self.events.next(.error(error)) }
      if previous == .connected { self.states.next(.disconnecting) }
      self.states.next(.disconnected)
      self.states.hub.end(nil)
      self.events.next(.disconnected(code: code, reason: reason))
      self.messages.hub.end(error)
      self.events.hub.end(nil)
      // Released here, outside the lock.
      withExtendedLifetime(peer) {}
    }
  }
}
