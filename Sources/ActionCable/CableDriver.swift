#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs a cable's engine: passes inputs to it and performs its outputs.
///
/// The only lock of a cable is here. Outputs are performed one after the other, in order and
/// outside of the lock, by the thread that caused the first one. That thread performs outputs that
/// other threads cause meanwhile, too.
final class CableDriver: Sendable {
  typealias Connect = @Sendable (String, WebSocketConfiguration) -> any CableSocket

  private struct Parts {
    var engine: CableEngine
    var queue = Fifo<CableEngine.Output>()
    var isDraining = false
    /// When the current timer fires.
    var armed: Duration?
    var channels: [CableEngine.MemberID: CableChannelStreams] = [:]
    var socket: (any CableSocket)?
    /// The cable's name in the log: a space and the URL of the last request.
    var name = ""
    /// Whether all streams have ended.
    var isOver = false
  }

  let states = Multicast<CableState>(value: .idle)
  let events = Multicast<CableEvent>(capacity: 16, handsOver: true)
  private let parts: Locked<Parts>
  private let configuration: CableConfiguration
  private let request: @Sendable () throws -> CableRequest
  private let connect: Connect
  private let clock: LoopClock
  private let timer = SerialDisposable()
  private let subscription = SerialDisposable()

  init(
    _ configuration: CableConfiguration,
    connect: @escaping Connect,
    random: @escaping @Sendable () -> Double,
    request: @escaping @Sendable () throws -> CableRequest
  ) {
    parts = Locked(Parts(engine: CableEngine(configuration, random: random)))
    (self.configuration, self.connect, self.request) = (configuration, connect, request)
    clock = LoopClock(loop: .shared, scheduler: configuration.socket.scheduler)
  }

  // MARK: Inputs

  /// The current state; it changes before it is emitted.
  var state: CableState { parts.withLock { $0.engine.state } }

  var unwantedMessages: Int { parts.withLock { $0.engine.unwantedMessages } }

  var unconfirmedCalls: Int { parts.withLock { $0.engine.channels.unconfirmedCalls } }

  var knownChannels: Int { parts.withLock { $0.engine.channels.count } }

  func state(of id: CableEngine.MemberID) -> CableChannelState {
    parts.withLock { $0.engine.channels.state(of: id) }
  }

  /// Changes the engine, on any thread.
  ///
  /// The outputs are performed before this returns, unless another thread performs outputs now.
  @discardableResult
  func change<Result, Failure: Error>(
    _ body: (inout CableEngine, _ now: Duration) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let now = clock.now
    let (result, drains) = try parts.withLock { (parts) throws(Failure) -> (Result, Bool) in
      let result = try body(&parts.engine, now)
      for output in parts.engine.takeOutputs() { parts.queue.append(output) }
      defer { parts.isDraining = true }
      return (result, !parts.isDraining)
    }
    if drains { drain() }
    return result
  }

  func add(
    _ identifier: CableIdentifier,
    _ options: CableChannelOptions,
    _ streams: CableChannelStreams
  ) -> CableEngine.MemberID {
    parts.withLock { parts in
      let id = parts.engine.channels.add(identifier, options.buffering)
      if !parts.isOver { parts.channels[id] = streams }
      return id
    }
  }

  func remove(_ id: CableEngine.MemberID) {
    // Removed first: the channel is being released, so its streams have no observer.
    let streams = parts.withLock { $0.channels.removeValue(forKey: id) }
    withExtendedLifetime(streams) {}
    change { $0.channels.remove(id, $1) }
  }

  /// Disconnects, reports the calls, and ends all streams.
  func end() { change { $0.abandon($1) } }

  private func endStreams() {
    let channels = parts.withLock { parts in
      parts.isOver = true
      defer { parts.channels = [:] }
      return parts.channels
    }
    states.hub.end(nil)
    events.hub.end(nil)
    for (_, streams) in channels.sorted(by: { $0.key < $1.key }) { streams.end() }
  }

  // MARK: Outputs

  private enum Work {
    case output(CableEngine.Output)
    case arm(after: Duration)
    case nothing
  }

  private func drain() {
    while true {
      let now = clock.now
      let work = parts.withLock { parts -> Work in
        if let output = parts.queue.popFirst() { return .output(output) }
        if let due = parts.engine.due, parts.armed.map({ due < $0 }) ?? true {
          parts.armed = due
          return .arm(after: max(due - now, .zero))
        }
        parts.isDraining = false
        return .nothing
      }
      switch work {
      case .output(let output): carryOut(output)
      case .arm(let delay):
        timer.disposable = clock.afterAnywhere(delay) { [weak self] in self?.tick() }
      case .nothing: return
      }
    }
  }

  private func tick() {
    parts.withLock { $0.armed = nil }
    change { $0.tick($1) }
  }

  private func carryOut(_ output: CableEngine.Output) {
    switch output {
    case .open(let generation): open(generation)
    case .send(let text):
      configuration.log.write(.debug, "> \(text)")
      // A socket that is not connected any more reports its end by an event.
      try? parts.withLock { $0.socket }?.send(text)
    case .call(let number, let text):
      configuration.log.write(.debug, "> \(text)")
      let socket = parts.withLock { $0.socket }
      let end = try? socket?.sendCounted(.text(text))
      parts.withLock { $0.engine.handedOver(number, end: end ?? .max) }
    case .ping(let number):
      let socket = parts.withLock { $0.socket }
      let isSent = try? socket?.pingBehindMessages(Data("\(number)".utf8))
      if isSent != true { parts.withLock { $0.engine.channels.pingFailed(number) } }
    case .close(let generation): close(generation)
    case .state(let state):
      log(.info, "\(state)")
      states.next(state)
    case .event(let event):
      log(event)
      events.next(event)
    case .channelState(let id, let state): streams(id)?.states.next(state)
    case .channelEvent(let id, .message(let message)):
      // A channel that has unsubscribed since receives no more messages.
      streams(id, unless: .unsubscribed)?.emit(.message(message))
    case .channelEvent(let id, let event): streams(id)?.emit(event)
    case .end: endStreams()
    }
  }

  private func streams(
    _ id: CableEngine.MemberID,
    unless state: CableChannelState? = nil
  ) -> CableChannelStreams? {
    parts.withLock { $0.engine.channels.state(of: id) == state ? nil : $0.channels[id] }
  }

  private func log(_ event: CableEvent) {
    switch event {
    case .connected, .ping: break
    case .disconnected(let ending):
      log(ending.willReconnect ? .warning : .info, "\(ending.cause)")
    case .attemptFailed(let error, let willRetry):
      log(willRetry ? .warning : .error, "\(error)")
    case .notUnderstood(let message):
      log(.warning, "not understood: \(message)")
    }
  }

  private func log(_ level: WebSocketLog.Level, _ line: @autoclosure () -> String) {
    let name = parts.withLock { $0.name }
    configuration.log.write(level, "cable\(name): \(line())")
  }

  // MARK: The socket

  private func open(_ generation: Int) {
    let request: CableRequest
    do {
      request = try self.request()
    } catch {
      let failure = CableError.request("\(error)")
      change { $0.closed(generation, .failed(failure), $1) }
      return
    }
    let socket = connect(request.url, configuration.socket(for: request))
    parts.withLock { parts in
      parts.socket = socket
      parts.name = " \(request.url.withoutSecrets)"
    }
    let failure = Locked<WebSocketError?>(nil)
    subscription.disposable = socket.events.subscribe(onNext: { [weak self, weak socket] event in
      guard let self else { return }
      switch event {
      case .connected:
        let subprotocol = socket?.subprotocol
        change { $0.opened(generation, subprotocol: subprotocol, $1) }
      case .message(let message):
        configuration.log.write(.debug, "< \(message.text ?? "\(message)")")
        // Parsed before the lock is taken: a long message must not make other threads wait.
        let frame = CableFrame(message)
        change { $0.received(frame, in: message, generation, $1) }
      case .error(let error): failure.withLock { $0 = error }
      case .disconnected(let code, let reason):
        let error = failure.withLock { $0 }
        change { engine, now in
          let cause: CableDisconnection.Cause =
            error.map { .failed(.socket($0)) } ?? .closed(code, reason: reason)
          engine.closed(generation, cause, now)
        }
      }
    })
    socket.observePongs { [weak self] payload in
      guard let number = Int(String(decoding: payload, as: UTF8.self)) else { return }
      self?.change { $0.answered(number, generation, $1) }
    }
    socket.connect()
  }

  /// Closes the current socket; queued bytes may still be written until it has ended.
  private func close(_ generation: Int) {
    subscription.disposable = Disposables.create()
    let socket = parts.withLock { parts in
      defer { parts.socket = nil }
      return parts.socket
    }
    guard let socket else { return }
    socket.close()
    guard settle(generation, socket, isFinal: false) else { return }
    _ = socket.events.subscribe(onCompleted: { [weak self] in
      _ = self?.settle(generation, socket, isFinal: true)
    })
  }

  private func settle(_ generation: Int, _ socket: any CableSocket, isFinal: Bool) -> Bool {
    let written = socket.writtenCount
    return change { engine, _ in engine.settle(generation, written: written, isFinal: isFinal) }
  }
}

/// The streams of a channel.
///
/// The first observer of each also receives the last 16 elements before its subscription.
final class CableChannelStreams: Sendable {
  let states = Multicast<CableChannelState>(value: .unsubscribed)
  let events = Multicast<CableChannelEvent>(capacity: 16, handsOver: true)
  let messages = Multicast<JSONValue>(capacity: 16, handsOver: true)

  func emit(_ event: CableChannelEvent) {
    if case .message(let message) = event { messages.next(message) }
    events.next(event)
  }

  func end() {
    states.hub.end(nil)
    events.hub.end(nil)
    messages.hub.end(nil)
  }
}
