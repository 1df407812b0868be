import Sockets

/// The dependencies of the composer; a test replaces them.
struct DashboardWorld: Sendable {
  /// The URL of the server, for display.
  var url: String
  /// Makes the WebSocket of each attempt to connect.
  var connect: @Sendable () async throws -> any WebSocketType
  /// The bytes that the machine received since it started.
  var bytesReceived: @Sendable () -> UInt64
  /// When to ask the server to drop the connection, to demonstrate a reconnect; nil for never.
  var dropsAfter: Duration?
}

/// Reduces the events of a socket, two timers and a keyboard into one state.
final class DashboardComposer: Composer {
  /// The events of the dashboard.
  enum Action: Sendable {
    case start
    case socket(SocketLifecycleEvent)
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

  private let socket = SocketHandle()
  // An effect that is cancelled separately has a bag of its own.
  private var polling = DisposeBag()
  private let world: DashboardWorld

  /// The ids of effects.
  private enum ID { case connection }

  init(_ world: DashboardWorld) {
    self.world = world
    state = DashboardState(url: world.url)
  }

  func reducer(_ state: inout DashboardState, _ action: Action) -> Observable<Effect<Action>> {
    state.note(action)
    switch action {
    case .start:
      return .merge(
        connection(),
        .send(.togglePolling),
        .interval(.send(.second), period: .seconds(1)),
        world.dropsAfter.map { .timer(.send(.drop), dueTime: $0, period: $0).take(1) } ?? .none
      )

    case .socket(.connected):
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

    case .socket(.waiting(_, _, let error?)) where state.connections == 0:
      state.link = .failed(error)
      return .cancel(id: ID.connection)

    case .socket(.error(let error)):
      state.link = .failed(error)
      return .cancel(id: ID.connection)

    case .socket(.waiting), .socket(.disconnected):
      state.link = .disconnected
      return .none

    case .socket(.undecodable):
      return .none

    case .drop:
      return state.link == .connected ? socket.send("drop") : .none

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

  /// The socket, which connects again after every end of a connection, also one by the server.
  private func connection() -> Observable<Effect<Action>> {
    var configuration = ReconnectionConfiguration()
    configuration.shouldReconnect = { _ in true }
    let reconnecting = ReconnectingWebSocket(
      connect: world.connect,
      strategy: .exponential(
        base: .milliseconds(250), cap: .seconds(8), maxAttempts: nil, jitter: .none
      ),
      configuration: configuration
    )
    return .socket(
      reconnecting, handle: socket, received: { Action($0) }, lifecycle: Action.socket
    )
    .cancellable(id: ID.connection)
  }
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
  }

  fileprivate mutating func received(_ sample: Sample) {
    lost += max(0, Int(sample.sequence) - nextSequence)
    nextSequence = Int(sample.sequence) + 1
    figures = sample.figures
    cpu.append(sample.figures.cpu)
  }
}
