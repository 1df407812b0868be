#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// A socket that the inspector observes, and its events.
final class SocketRecord: EventSource, @unchecked Sendable {
  /// What is known of the socket besides its events.
  struct Summary: Sendable {
    /// The name, which a client that reconnects has from its first attempt on.
    var name: String
    var state = WebSocketState.idle
    var reconnection: ReconnectionState?
    /// The number of connections that were opened.
    var connectionCount = 0
    /// The bytes of all messages, as the program has them.
    var messageBytesReceived = 0
    var messageBytesSent = 0
    var error: String?
    /// The close code, after the end.
    var closeCode: Int?
    /// The counts at the end; nil before.
    var lastMetrics: WebSocketMetrics?
    var extensions = ""
  }

  /// Protected by the lock of the log.
  private(set) var summary: Summary

  let isOfServer: Bool
  let reconnects: Bool
  // The log releases its sources when it closes.
  private let log: EventLog
  // Written by the initializer only.
  private weak var socket: (any TappedSocket)?
  /// Whether this inspector has delayed the connection last: another one may have, too.
  private let hasSlowed = Atomic(false)

  /// - Parameter isOpening: whether its first event has its state; otherwise the state is read.
  init(_ socket: any TappedSocket, isOpening: Bool, number: Int, in log: EventLog) {
    self.socket = socket
    self.log = log
    isOfServer = socket.isOfServer
    reconnects = socket.reconnects
    summary = Summary(name: socket.tapName)
    if !isOpening {
      summary.state = socket.tapState
      summary.reconnection = socket.tapReconnection
      summary.connectionCount = summary.state == .connected ? 1 : 0
      summary.extensions = socket.tapExtensions
    }
    super.init(number: number, name: summary.name)
  }

  /// The counts so far; nil when they are not known.
  var metrics: WebSocketMetrics? {
    socket?.tapMetrics ?? log.withLock { _ in summary.lastMetrics }
  }

  /// Drops the connection.
  func cut() { socket?.cut() }

  /// The delay of each direction; zero for none.
  var delay: Duration { socket?.tapDelay ?? .zero }

  /// Delays each direction of the open connection; returns false when none is open.
  func slow(by delay: Duration) -> Bool {
    guard let socket, socket.slow(by: delay) else { return false }
    hasSlowed.store(delay > .zero, ordering: .relaxed)
    return true
  }

  override func stop() { if hasSlowed.load(ordering: .relaxed) { _ = slow(by: .zero) } }

  /// The bytes of an event without those of its message.
  private static let inlineBytes = 128

  /// Appends an event, and returns its number.
  @discardableResult func record(_ event: SocketEvent, at time: Date) -> Int {
    // Read before the lock of the log is taken, because the socket has a lock of its own.
    let details = socket.flatMap { SocketDetails(of: $0, at: event) }
    let bytes = Self.inlineBytes + event.byteCount
    return log.append(
      .socket(event), of: self, at: time, bytes: bytes, details: details,
      keepsSource: true)
  }

  override func note(
    _ event: LoggedEvent, _ number: Int, _ details: SocketDetails?, endedEffectLimit: Int
  ) {
    if case .socket(let event) = event.event { note(event) }
    guard let details else { return }
    if let metrics = details.metrics { summary.lastMetrics = metrics }
    if let extensions = details.extensions { summary.extensions = extensions }
    if let name = details.name { summary.name = name }
  }

  private func note(_ event: SocketEvent) {
    switch event {
    case .received(let message): summary.messageBytesReceived += message.byteCount
    case .sent(let message): summary.messageBytesSent += message.byteCount
    case .state(let state):
      summary.state = state
      if state == .connected { summary.connectionCount += 1 }
    case .pong: break
    case .failed(let error): summary.error = error
    case .ended(let code, _): summary.closeCode = code
    case .reconnection(let state):
      summary.reconnection = state
      summary.state = state.webSocketState
      if state == .connected { summary.connectionCount += 1 }
      if case .waitingToReconnect(_, _, let error?) = state { summary.error = "\(error)" }
      if case .disconnected(let error?) = state { summary.error = "\(error)" }
    }
  }

  override var isLive: Bool {
    let isOpen = log.withLock { _ in
      if let reconnection = summary.reconnection {
        if case .disconnected = reconnection { return false }
        return true
      }
      return summary.state != .disconnected
    }
    return isOpen && socket != nil
  }
}
