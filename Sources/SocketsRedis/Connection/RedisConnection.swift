import Sockets
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Performs what the state machine decides: on the process's event loop, in order.
///
/// What threads publish during a turn of the loop is one write.
final class RedisConnection: BackplaneConnection, @unchecked Sendable {
  private struct State {
    var machine: RedisStateMachine
    /// Whether the loop will take the outputs.
    var isScheduled = false
  }

  private let state: Locked<State>
  private let url: RedisURL
  private let configuration: RedisConfiguration
  private let receive: @Sendable (BackplaneEvent) -> Void
  private let loop = EventLoop.shared
  private let clock: LoopClock

  /// The clock of the time slice, which is real also where `clock` is virtual.
  private let realClock: LoopClock

  // Used on the loop's thread only.
  /// What is to be performed: one message may be for thousands of sockets.
  private var pending = Fifo<RedisStateMachine.Output>()
  private var isPaused = false
  private var links: [RedisStateMachine.Role: RedisLink] = [:]
  /// The deadlines of the current attempt.
  private var connectionTimer: (any Disposable)?
  private var pingTimer: (any Disposable)?
  private var reportTimer: (any Disposable)?
  private var retryTimer: (any Disposable)?

  init(
    _ url: RedisURL, _ configuration: RedisConfiguration,
    _ receive: @escaping @Sendable (BackplaneEvent) -> Void
  ) {
    (self.url, self.configuration, self.receive) = (url, configuration, receive)
    var random = HostRandomNumberGenerator()
    let origin = Data((0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    state = Locked(State(machine: RedisStateMachine(url, configuration, origin: origin)))
    clock = LoopClock(loop: loop, scheduler: configuration.scheduler)
    realClock = LoopClock(loop: loop)
  }

  /// How long a turn of the loop performs outputs, as long as other fair work.
  ///
  /// The last output may exceed it. The messages of a turn share the writes to their sockets.
  private static var slice: Duration { .milliseconds(2) }
  /// The outputs above which Redis is not read, until half of them are performed.
  private static var pendingLimit: Int { 1_000 }

  func connect() { update { $0.connect() } }

  func subscribe(to topic: String) { update { $0.subscribe(to: topic) } }

  func unsubscribe(from topic: String) { update { $0.unsubscribe(from: topic) } }

  func publish(_ message: Data, to topic: String, isTransient: Bool) {
    update { $0.publish(message, to: topic, isTransient: isTransient) }
  }

  func close() { update { $0.close() } }

  /// Changes the machine on any thread; the loop performs the outputs soon.
  private func update(_ body: (inout RedisStateMachine) -> Void) {
    let isFirst = state.withLock { state in
      body(&state.machine)
      guard state.machine.hasOutputs, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    if isFirst { loop.execute { self.performOutputs() } }
  }

  // MARK: On the loop

  /// Performs the outputs so far, or those that fit into a time slice; the others, and those that
  /// they cause, are performed in later turns, so that sockets and timers have theirs.
  private func performOutputs() {
    let outputs = state.withLock { $0.machine.takeOutputs() }
    for output in outputs { pending.append(output) }
    let end = realClock.now + Self.slice
    while let output = pending.popFirst() {
      perform(output)
      if realClock.now >= end { break }
    }
    pauseOrResume()
    let goesOn = state.withLock { state in
      state.isScheduled = !pending.isEmpty || state.machine.hasOutputs
      return state.isScheduled
    }
    if goesOn { loop.execute { self.performOutputs() } }
  }

  private func pauseOrResume() {
    let isFull = pending.count > (isPaused ? Self.pendingLimit / 2 : Self.pendingLimit)
    guard isFull != isPaused else { return }
    isPaused = isFull
    for link in links.values { link.setReading(!isFull) }
  }

  private func perform(_ output: RedisStateMachine.Output) {
    switch output {
    case .open(let attempt): for role in RedisStateMachine.Role.allCases { open(role, attempt) }
    case .send(let bytes, let role): links[role]?.send(bytes)
    case .drop: end { $0.drop() }
    case .close: end { $0.close() }
    case .emit(let event): receive(event)
    case .retry(let attempt, let number): retry(attempt, number)
    case .wait(let deadline, let time):
      let timer = clock.after(time) { [weak self] in
        guard let self else { return }
        update { [isPaused] machine in
          // What is not read is no silence.
          if isPaused { machine.noteAlive() }
          machine.passed(deadline, at: clock.now)
        }
      }
      switch deadline {
      case .connection: replace(&connectionTimer, with: timer)
      case .ping: replace(&pingTimer, with: timer)
      case .report: replace(&reportTimer, with: timer)
      }
    }
  }

  private func replace(_ old: inout (any Disposable)?, with timer: (any Disposable)?) {
    old?.dispose()
    old = timer
  }

  private func end(_ body: (RedisLink) -> Void) {
    let ended = links
    links = [:]
    for role in RedisStateMachine.Role.allCases { ended[role].map(body) }
    replace(&connectionTimer, with: nil)
    replace(&pingTimer, with: nil)
  }

  private func retry(_ attempt: Int, _ number: Int) {
    guard
      let delay = configuration.reconnection.delay(
        before: number, random: configuration.random())
    else { return }
    let timer = clock.after(delay) { [weak self] in self?.update { $0.retry(attempt) } }
    replace(&retryTimer, with: timer)
  }

  private func open(_ role: RedisStateMachine.Role, _ attempt: Int) {
    do throws(TransportError) {
      let transport = try ClientTransport.make(
        to: url.host, port: url.port, tls: url.isSecure ? configuration.tls : nil,
        by: configuration.tlsProvider, scheduler: configuration.scheduler)
      // Room for the messages of one read, with what is around them.
      let (limit, overflows) = configuration.messageLimit.multipliedReportingOverflow(
        by: RedisStreams.mostEntries)
      let link = RedisLink(transport, limit: overflows ? .max : limit + 1 << 20) { [weak self] in
        self?.handle($0, role, attempt)
      }
      links[role] = link
      if isPaused { link.setReading(false) }
      link.start()
    } catch {
      update { $0.failed(.transport(error), of: attempt, at: clock.now) }
    }
  }

  private func handle(_ event: RedisLink.Event, _ role: RedisStateMachine.Role, _ attempt: Int) {
    let now = clock.now
    update { machine in
      switch event {
      case .opened: machine.opened(role, of: attempt)
      case .received(let values): machine.received(values, on: role, of: attempt, at: now)
      case .failed(let error): machine.failed(error, of: attempt, at: now)
      }
    }
  }
}
