import Foundation

/// Carries what two ends tell each other, and has both tell their observers: one thing after the other.
final class MockWire: Sendable {
  typealias Job = @Sendable () -> Void

  private let later: @Sendable (@escaping Job) -> Void
  private let waiting = Locked((jobs: Fifo<Job>(), isRunning: false))

  init(later: @escaping @Sendable (@escaping Job) -> Void) { self.later = later }

  /// Runs `job` now, or after what is running now.
  func now(_ job: @escaping Job) {
    let isFirst = waiting.withLock { waiting in
      waiting.jobs.append(job)
      defer { waiting.isRunning = true }
      return !waiting.isRunning
    }
    guard isFirst else { return }
    while let next = next() { next() }
  }

  /// Runs `job` after the latency.
  func carry(_ job: @escaping Job) { later { self.now(job) } }

  private func next() -> Job? {
    waiting.withLock { waiting in
      let next = waiting.jobs.popFirst()
      waiting.isRunning = next != nil
      return next
    }
  }
}

/// One end of a mock connection, whoever holds it from outside.
final class MockEnd: Sendable {
  let states: Multicast<WebSocketState>
  let events = Multicast<WebSocketEvent>(capacity: 1_024, handsOver: true)
  let messages = Multicast<WebSocketMessage>(capacity: 1_024, handsOver: true)

  private struct Content {
    var state: WebSocketState
    /// Until the end: both hold each other.
    var peer: MockEnd?
    var isPeerThere: Bool
    var sent: [WebSocketMessage] = []
    var received: [WebSocketMessage] = []
    var pings = 0
    var ending = WebSocketError.closed(code: .abnormal, reason: "")
  }

  private let content: Locked<Content>
  private let wire: MockWire
  private let agreedSubprotocol: String?

  static func pair(_ wire: MockWire, isOpen: Bool, subprotocol: String?) -> (MockEnd, MockEnd) {
    let (first, second) = (
      MockEnd(wire, isOpen, subprotocol), MockEnd(wire, isOpen, subprotocol)
    )
    first.content.withLock { $0.peer = second }
    second.content.withLock { $0.peer = first }
    return (first, second)
  }

  private init(_ wire: MockWire, _ isOpen: Bool, _ subprotocol: String?) {
    (self.wire, agreedSubprotocol) = (wire, subprotocol)
    let state: WebSocketState = isOpen ? .connected : .idle
    content = Locked(Content(state: state, isPeerThere: isOpen))
    states = Multicast(value: state)
    if isOpen { events.next(.connected) }
  }

  var state: WebSocketState { content.withLock { $0.state } }
  var sent: [WebSocketMessage] { content.withLock { $0.sent } }
  var received: [WebSocketMessage] { content.withLock { $0.received } }
  var pings: Int { content.withLock { $0.pings } }
  var ending: WebSocketError { content.withLock { $0.ending } }
  var subprotocol: String? { state == .idle || state == .connecting ? nil : agreedSubprotocol }

  // MARK: From this side

  func connect() {
    let begins = content.withLock { content in
      guard content.state == .idle else { return false }
      content.state = .connecting
      return true
    }
    guard begins else { return }
    wire.now { self.states.next(.connecting) }
    toPeer { $0.peerArrived() }
    openIfBothAreThere()
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

  func close(_ code: CloseCode, _ reason: String) {
    let before = content.withLock { content in
      defer {
        if [.connecting, .connected].contains(content.state) { content.state = .disconnecting }
      }
      return content.state
    }
    switch before {
    case .idle, .connecting:
      if before == .connecting { wire.now { self.states.next(.disconnecting) } }
      toPeer { $0.end(.connectionLost) }
      end(nil)
    case .connected:
      wire.now {
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

  private func toPeer(_ body: @escaping @Sendable (MockEnd) -> Void) {
    guard let peer = content.withLock({ $0.peer }) else { return }
    wire.carry { body(peer) }
  }

  // MARK: From the other side

  private func peerArrived() {
    content.withLock { $0.isPeerThere = true }
    openIfBothAreThere()
  }

  private func openIfBothAreThere() {
    let opens = content.withLock { content in
      guard content.state == .connecting, content.isPeerThere else { return false }
      content.state = .connected
      return true
    }
    guard opens else { return }
    wire.now {
      self.states.next(.connected)
      self.events.next(.connected)
    }
  }

  private func receive(_ message: WebSocketMessage) {
    let isTold = content.withLock { content in
      guard content.state == .connected || content.state == .disconnecting else { return false }
      content.received.append(message)
      return true
    }
    guard isTold else { return }
    messages.next(message)
    events.next(.message(message))
  }

  private func peerClosed(_ code: CloseCode, _ reason: String) {
    toPeer { $0.end(nil, code) }
    end(nil, code, reason)
  }

  /// The end, unless it has come already.
  private func end(
    _ error: WebSocketError?, _ code: CloseCode = .abnormal, _ reason: String = ""
  ) {
    let (before, peer) = content.withLock { content in
      defer { (content.state, content.peer) = (.disconnected, nil) }
      if content.state != .disconnected {
        content.ending = error ?? .closed(code: code, reason: reason)
      }
      return (content.state, content.peer)
    }
    if before == .disconnected { return }
    wire.now {
      if let error { self.events.next(.error(error)) }
      if before == .connected { self.states.next(.disconnecting) }
      self.states.next(.disconnected)
      self.states.hub.end(nil)
      self.events.next(.disconnected(code: code, reason: reason))
      self.messages.hub.end(error)
      self.events.hub.end(nil)
      // Released here, unlocked.
      withExtendedLifetime(peer) {}
    }
  }
}
