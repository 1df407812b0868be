import Dispatch
import Sockets

/// The dependencies of the composer; a test replaces them.
struct DashboardWorld: Sendable {
  /// The source of `events`, for display.
  var url: String
  /// Connects when it is subscribed to, emits the events, and completes when the connection has ended.
  var events: Observable<WebSocketEvent>
  /// The bytes that the machine received since it started.
  var bytesReceived: @Sendable () -> UInt64
  /// When to drop the connection, to demonstrate a reconnect; nil for never.
  var dropsAfter: DispatchTimeInterval?
}

/// Reduces the events of a socket, two timers and a keyboard into one state.
final class DashboardComposer: Composer {
  /// The events of the dashboard.
  enum Action: Sendable {
    case start
    case connect, connected, failed(WebSocketError), disconnected
    case sample(Sample, bytes: Int)
    /// A message that is not a sample.
    case message(String, bytes: Int)
    case drop
    case togglePolling, polled(bytesReceived: UInt64)
    case second
  }

  @ComposableState var state: DashboardState
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  // Effects that are cancelled separately have bags of their own.
  private var connection = DisposeBag()
  private var polling = DisposeBag()
  private let world: DashboardWorld

  init(_ world: DashboardWorld) {
    self.world = world
    state = DashboardState(url: world.url)
  }

  func reducer(_ state: inout DashboardState, _ action: Action) -> Observable<Effect<Action>> {
    state.note(action)
    switch action {
    case .start:
      return .merge(
        .send(.connect),
        .send(.togglePolling),
        .interval(.send(.second), period: .seconds(1)),
        world.dropsAfter.map { after($0, send: .drop) } ?? .none
      )

    case .connect:
      state.link = .connecting
      // One action follows every end of the connection: by the peer, an error or `drop`.
      return .concat(
        .run(world.events.compactMap { Action($0) }).cancellable(connection),
        .send(.disconnected)
      )

    case .connected:
      state.link = .connected
      state.connections += 1
      state.nextSequence = 0
      return .none

    case .sample(let sample, let bytes):
      state.received(bytes)
      state.received(sample)
      return .none

    case .message(let text, let bytes):
      state.received(bytes)
      state.messages.append(text)
      return .none

    case .failed(let error):
      state.problem = error
      return .none

    case .disconnected:
      if state.connections == 0, let problem = state.problem {
        state.link = .failed(problem)
        return .none
      }
      let delay = Self.backOff(afterAttempts: state.attempts)
      state.attempts += 1
      state.link = .waiting(milliseconds: delay)
      return after(.milliseconds(delay), send: .connect)

    case .drop:
      return state.link == .connected ? .cancel(&connection) : .none

    case .togglePolling:
      state.isPolling.toggle()
      guard state.isPolling else { return .cancel(&polling) }
      // Bytes received while polling was off belong to no tick.
      state.bytesReceived = nil
      let poll = Observable<Effect<Action>>.run { [world] effect in
        effect.onNext(.send(.polled(bytesReceived: world.bytesReceived())))
      }
      return .timer(poll, period: .seconds(1), disposeBag: polling)

    case .polled(let bytes):
      state.ticks += 1
      if let before = state.bytesReceived {
        state.network.append(Double(max(bytes, before) - before))
      }
      state.bytesReceived = bytes
      return .none

    case .second:
      state.seconds += 1
      state.frames.mark()
      state.bytes.mark()
      return .none
    }
  }

  private func after(
    _ delay: DispatchTimeInterval,
    send action: Action
  ) -> Observable<Effect<Action>> {
    .timer(.send(action), dueTime: delay, period: delay).take(1)
  }

  /// The delay in milliseconds: it doubles with each attempt, up to eight seconds.
  static func backOff(afterAttempts attempts: Int) -> Int { 250 << min(attempts, 5) }
}

// MARK: - Parts of the reducer

extension DashboardState {
  fileprivate mutating func note(_ action: DashboardComposer.Action) {
    actions += 1
    log.append(Entry(number: actions, text: "\(action)", isRoutine: action.isRoutine))
  }

  fileprivate mutating func received(_ byteCount: Int) {
    frames.add(1)
    bytes.add(byteCount)
    // Not on `connected`: a server that accepts and closes at once would see an attempt every 250 ms.
    attempts = 0
  }

  fileprivate mutating func received(_ sample: Sample) {
    lost += max(0, Int(sample.sequence) - nextSequence)
    nextSequence = Int(sample.sequence) + 1
    figures = sample.figures
    cpu.append(sample.figures.cpu)
  }
}
