import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Calls the tools that look inside a program with what happens to its WebSockets.
///
/// Without a tool, each message costs one load.
package enum SocketTaps {
  /// What happened to a WebSocket, besides received messages.
  package enum Event: Sendable {
    case sent(WebSocketMessage)
    case state(WebSocketState)
    /// A ping was answered after this time; with a pong that was not asked for, nil.
    case pong(Duration?)
    case failed(WebSocketError)
    case ended(code: CloseCode, reason: String)
    /// The state of a ``ReconnectingWebSocket``.
    case reconnection(ReconnectionState)
  }

  /// A tool.
  package protocol Observer: AnyObject, Sendable {
    /// Calls `deliver` once, which delivers a message to the program, on the thread of the event loop.
    func socket(
      _ socket: any TappedSocket, received message: WebSocketMessage, _ deliver: () -> Void)

    /// Called on the thread on which the event happens.
    func socket(_ socket: any TappedSocket, did event: Event)

    /// Called when a server listens.
    func serverStarted(_ server: any TappedServer)
  }

  private static let hasObservers = Atomic(false)
  private static let observers = Locked<[any Observer]>([])

  /// Whether a tool is called.
  static var areObserved: Bool { hasObservers.load(ordering: .relaxed) }

  /// Calls `observer` with all WebSockets, until the result is disposed of.
  package static func observe(_ observer: any Observer) -> any Disposable {
    observers.withLock { observers in
      observers.append(observer)
      hasObservers.store(true, ordering: .relaxed)
    }
    return Disposables.create { [weak observer] in
      observers.withLock { observers in
        observers.removeAll { $0 === observer }
        hasObservers.store(!observers.isEmpty, ordering: .relaxed)
        if observers.isEmpty { fragments.withLock { $0 = [:] } }
      }
    }
  }

  /// The beginnings of messages that programs send in fragments.
  private static let fragments = Locked<[ObjectIdentifier: Data]>([:])

  /// The message that `fragment` completes; nil before the last one, and when the first one was not observed.
  static func message(
    completedBy fragment: Data, isText: Bool, isFirst: Bool, isFinal: Bool, of socket: AnyObject
  ) -> WebSocketMessage? {
    fragments.withLock { fragments in
      let key = ObjectIdentifier(socket)
      // Taken out, so that appending does not copy what has been sent before.
      guard var data = isFirst ? Data() : fragments.removeValue(forKey: key) else { return nil }
      data.append(fragment)
      if isFinal { return isText ? .text(String(decoding: data, as: UTF8.self)) : .binary(data) }
      fragments[key] = data
      return nil
    }
  }

  static func report(_ event: Event, of socket: any TappedSocket) {
    if case .ended = event {
      fragments.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(socket)) }
    }
    for observer in observers.withLock({ $0 }) { observer.socket(socket, did: event) }
  }

  static func started(_ server: any TappedServer) {
    for observer in observers.withLock({ $0 }) { observer.serverStarted(server) }
  }

  static func received(
    _ message: WebSocketMessage, by socket: any TappedSocket, _ deliver: () -> Void
  ) {
    func pass(_ observers: ArraySlice<any Observer>) {
      guard let first = observers.first else { return deliver() }
      first.socket(socket, received: message) { pass(observers.dropFirst()) }
    }
    pass(observers.withLock { $0 }[...])
  }
}

/// A WebSocket as a tool sees it.
package protocol TappedSocket: AnyObject, Sendable {
  /// The client for a server's connection, otherwise the URL without secrets.
  var tapName: String { get }
  /// Whether it is a connection of a server; false for a client.
  var isOfServer: Bool { get }
  /// Identifies the server of a connection; nil for a client.
  var serverIdentifier: ObjectIdentifier? { get }
  /// Whether it connects again when its connection is lost.
  var reconnects: Bool { get }
  /// The state now.
  var tapState: WebSocketState { get }
  /// The state of one that reconnects; nil for another.
  var tapReconnection: ReconnectionState? { get }
  /// The counts so far; nil for one that reconnects.
  var tapMetrics: WebSocketMetrics? { get }
  /// The agreed extensions; empty without any.
  var tapExtensions: String { get }
  /// Drops the connection, without a close frame.
  func cut()
  /// The delay of each direction; zero for none.
  var tapDelay: Duration { get }
  /// Delays each direction of the connection that is open now, in its order, until its end; zero ends that.
  ///
  /// Takes effect in the next turn of the connection's loop. Returns false when no connection is open.
  func slow(by delay: Duration) -> Bool
  /// How long it may connect and close by the clock of its machine; nil for one that reconnects, or has another
  /// clock.
  var tapTimeouts: (opening: Duration, closing: Duration)? { get }
  /// Whether the connection has broken, and what had arrived before is still delivered, which has no limit but
  /// that of its consumers.
  var tapIsBroken: Bool { get }
  /// What carries the bytes, below TLS; nil before it is made, and for one that reconnects.
  var tapTransport: AnyObject? { get }
}

extension TappedSocket {
  package var tapTimeouts: (opening: Duration, closing: Duration)? { nil }
  package var tapIsBroken: Bool { false }
  package var tapTransport: AnyObject? { nil }
}

/// A server as a tool sees it.
package protocol TappedServer: AnyObject, Sendable {
  /// Identifies the server for its connections.
  var identifier: ObjectIdentifier { get }
  /// The URL for clients.
  var url: String { get }
  /// Whether it accepts connections.
  var isListening: Bool { get }
  /// The totals now.
  var totals: WebSocketServerTotals { get }
}

extension WebSocketServer: TappedServer {
  package var identifier: ObjectIdentifier { ObjectIdentifier(sockets) }

  package var isListening: Bool { sockets.isServing }
}

extension ConnectionDriver: TappedSocket {
  package var tapName: String {
    lock.withLock { session.remoteClient }.map { "\($0)" }
      ?? (options.name.isEmpty ? "a client" : options.name)
  }

  package var isOfServer: Bool { registry != nil }

  package var serverIdentifier: ObjectIdentifier? { registry.map { ObjectIdentifier($0) } }

  package var reconnects: Bool { false }

  package var tapState: WebSocketState { state }

  package var tapReconnection: ReconnectionState? { nil }

  package var tapMetrics: WebSocketMetrics? { metrics }

  package var tapExtensions: String { agreement?.extensions ?? "" }

  package func cut() { drop() }

  package var tapDelay: Duration {
    (lock.withLock { transport } as? SlowTransport)?.delay ?? .zero
  }

  package func slow(by delay: Duration) -> Bool {
    guard state == .connected else { return false }
    loop.execute { self.delayTransport(by: delay) }
    return true
  }

  package var tapTransport: AnyObject? {
    let transport = lock.withLock { self.transport }
    return (transport as? TLSTransport)?.inner ?? transport
  }

  package var tapTimeouts: (opening: Duration, closing: Duration)? {
    guard options.scheduler == nil else { return nil }
    return (options.limits.handshakeTimeout, options.limits.closeTimeout)
  }

  package var tapIsBroken: Bool { lock.withLock { session.isBroken } }

  private func delayTransport(by delay: Duration) {
    guard state == .connected, let transport = lock.withLock({ self.transport }) else { return }
    if let slow = transport as? SlowTransport {
      slow.delay = delay
    } else if delay > .zero {
      let slow = SlowTransport(
        transport, for: self, isReading: isReading, clock: clock, delay: delay)
      lock.withLock { replaceTransport(with: slow) }
      slow.begin()
    }
  }

  /// Reports an event to the tools, unless the WebSocket belongs to one.
  func tap(_ event: SocketTaps.Event) {
    if options.isTapped { SocketTaps.report(event, of: self) }
  }

  /// Reports an event of the session that tools want to know of.
  func tapSession(_ event: SessionEvent) {
    switch event {
    case .state(let state): tap(.state(state))
    case .pong: tap(.pong(metrics.roundTripTime))
    case .failed(let error): tap(.failed(error))
    case .ended(let outcome): tap(.ended(code: outcome.code, reason: outcome.reason))
    // Messages are delivered apart from the other events.
    case .connected, .frame, .message, .asked, .log: break
    }
  }
}

extension ReconnectionDriver: TappedSocket {
  package var tapName: String {
    let name = current.withLock { $0.name }
    return name.isEmpty ? "a client that reconnects" : name
  }

  package var isOfServer: Bool { false }

  package var serverIdentifier: ObjectIdentifier? { nil }

  package var reconnects: Bool { true }

  package var tapState: WebSocketState { state.webSocketState }

  package var tapReconnection: ReconnectionState? { state }

  package var tapMetrics: WebSocketMetrics? { nil }

  package var tapExtensions: String { "" }

  package func cut() { (socket as? WebSocket)?.drop() }

  package var tapDelay: Duration { (socket as? WebSocket)?.tapped.tapDelay ?? .zero }

  package func slow(by delay: Duration) -> Bool {
    (socket as? WebSocket)?.tapped.slow(by: delay) ?? false
  }
}
