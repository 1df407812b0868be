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

  // Used on the loop's thread only.
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
  }

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

  /// Performs the outputs so far; what they cause is performed in the next turn, so that threads
  /// that publish without a pause do not keep the loop here.
  private func performOutputs() {
    let outputs = state.withLock { state in
      state.isScheduled = false
      return state.machine.takeOutputs()
    }
    for output in outputs { perform(output) }
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
        update { $0.passed(deadline, at: clock.now) }
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
