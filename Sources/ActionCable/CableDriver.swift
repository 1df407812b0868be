#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Performs the outputs of a cable's state machine: sockets, calls, pings, timer, events.
final class CableDriver: StateMachineDriver {
  typealias Connect = @Sendable (String, WebSocketConfiguration) -> any CableSocket
  typealias SubscriberID = CableStateMachine.SubscriberID

  private struct Resources {
    /// Nil when all streams have ended.
    var streams: [SubscriberID: CableChannelStreams]? = [:]
    var socket: (any CableSocket)?
    /// The cable's name in the log: a space and the URL of the last request.
    var name = ""
  }

  let states = ReplayingHub<CableState>(value: .idle)
  let events = ReplayingHub<CableEvent>(capacity: 16, handsOver: true)
  let content: Locked<DrivenStateMachine<CableStateMachine>>
  private let resources = Locked(Resources())
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
    content = Locked(DrivenStateMachine(CableStateMachine(configuration, random: random)))
    (self.configuration, self.connect, self.request) = (configuration, connect, request)
    clock = LoopClock(loop: .shared, scheduler: configuration.socket.scheduler)
  }

  // MARK: Inputs

  /// The current state; it changes before it is emitted.
  var state: CableState { read { $0.state } }

  var unwantedMessageCount: Int { read { $0.unwantedMessageCount } }

  var unconfirmedCallCount: Int { read { $0.channels.unconfirmedCallCount } }

  /// The number of identifiers with a state machine.
  var identifierCount: Int { read { $0.channels.count } }

  func state(of id: SubscriberID) -> CableChannelState { read { $0.channels.state(of: id) } }

  /// Changes the machine at the current time, on any thread.
  @discardableResult
  func change<Result, Failure: Error>(
    _ body: (inout CableStateMachine, _ now: Duration) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let now = clock.now
    return try update { machine throws(Failure) in try body(&machine, now) }
  }

  func add(
    _ identifier: CableIdentifier,
    _ options: CableChannelOptions,
    _ streams: CableChannelStreams
  ) -> SubscriberID {
    let id = update { $0.channels.add(identifier, options.buffering) }
    resources.withLock { $0.streams?[id] = streams }
    return id
  }

  func remove(_ id: SubscriberID) {
    // Removed first: the channel is being released, so its streams have no observer. They are
    // released after unlocking, because an element may run a `deinit` of the user.
    let streams = resources.withLock { $0.streams?.removeValue(forKey: id) }
    withExtendedLifetime(streams) {}
    change { $0.channels.remove(id, $1) }
  }

  /// Disconnects, reports all unconfirmed and buffered calls as failed, and ends all streams.
  func end() { change { $0.end($1) } }

  // MARK: Outputs

  func perform(_ output: CableStateMachine.Output) {
    switch output {
    case .open(let generation): open(generation)
    case .send(let text):
      configuration.log.write(.debug, "> \(text)")
      // A socket that is not connected any more reports its end by an event.
      try? socket?.send(text)
    case .call(let number, let text):
      configuration.log.write(.debug, "> \(text)")
      let end = try? socket?.sendCounted(.text(text))
      update { $0.callSent(number, end: end ?? .max) }
    case .ping(let number):
      let isSent = try? socket?.pingBehindMessages(Data("\(number)".utf8))
      if isSent != true { update { $0.channels.pingFailed(number) } }
    case .close(let generation): close(generation)
    case .wake(let due):
      let delay = max(due - clock.now, .zero)
      timer.disposable = clock.afterAnywhere(delay) { [weak self] in self?.change { $0.tick($1) } }
    case .state(let state):
      log(.info, "\(state)")
      states.next(state)
    case .event(let event):
      log(event)
      events.next(event)
    case .channelState(let id, let state): streams(of: id)?.states.next(state)
    case .channelEvent(let id, .message(let message)):
      // A channel that has unsubscribed since receives no more messages.
      if state(of: id) != .unsubscribed { streams(of: id)?.emit(.message(message)) }
    case .channelEvent(let id, let event): streams(of: id)?.emit(event)
    case .end: endStreams()
    }
  }

  private var socket: (any CableSocket)? { resources.withLock { $0.socket } }

  private func streams(of id: SubscriberID) -> CableChannelStreams? {
    resources.withLock { $0.streams?[id] }
  }

  private func endStreams() {
    let streams = resources.withLock { $0.streams.take() } ?? [:]
    states.hub.end(nil)
    events.hub.end(nil)
    for (_, streams) in streams.sorted(by: { $0.key < $1.key }) { streams.end() }
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
    let name = resources.withLock { $0.name }
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
    let socket = connect(request.url, configuration.webSocketConfiguration(for: request))
    resources.withLock { resources in
      resources.socket = socket
      resources.name = " \(request.url.withoutSecrets)"
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
        change { machine, now in
          let cause: CableDisconnection.Cause =
            error.map { .failed(.socket($0)) } ?? .closed(code, reason: reason)
          machine.closed(generation, cause, now)
        }
      }
    })
    socket.observePongs { [weak self] payload in
      guard let number = Int(String(decoding: payload, as: UTF8.self)) else { return }
      self?.change { $0.pongReceived(number, generation, $1) }
    }
    socket.connect()
  }

  /// Closes the current socket; queued bytes may still be written until it has ended.
  private func close(_ generation: Int) {
    subscription.disposable = Disposables.create()
    guard let socket = resources.withLock({ $0.socket.take() }) else { return }
    socket.close()
    guard reportFailedCalls(generation, socket, isFinal: false) else { return }
    _ = socket.events.subscribe(onCompleted: { [weak self] in
      _ = self?.reportFailedCalls(generation, socket, isFinal: true)
    })
  }

  /// Reports the failed calls of a closed connection whose outcome is known.
  ///
  /// Returns whether calls are left that may still be written.
  private func reportFailedCalls(
    _ generation: Int, _ socket: any CableSocket, isFinal: Bool
  ) -> Bool {
    let written = socket.writtenCount
    return update { $0.reportFailedCalls(generation, written: written, isFinal: isFinal) }
  }
}

/// The streams of one subscriber, a `CableChannel`.
///
/// `states` replays the current state to each observer. `events` and `messages` replay the last 16
/// elements to their first observer.
final class CableChannelStreams: Sendable {
  let states = ReplayingHub<CableChannelState>(value: .unsubscribed)
  let events = ReplayingHub<CableChannelEvent>(capacity: 16, handsOver: true)
  let messages = ReplayingHub<JSONValue>(capacity: 16, handsOver: true)

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
