import Foundation
import ReactiveTesting
import TestSupport

@testable import Sockets

/// A reconnecting WebSocket in virtual time, and the recorded elements of its streams.
final class ReconnectingHarness: Sendable {
  private struct Log {
    var attempts: [TimeInterval] = []
    var peers: [MockWebSocket] = []
    var events: [WebSocketEvent] = []
    var texts: [String] = []
    var reconnectionStates: [ReconnectionState] = []
    var states: [WebSocketState] = []
    var sendOutcomes: [String] = []
    var failure: WebSocketError?
    var completions = 0
  }

  let socket: ReconnectingWebSocket
  private let time: VirtualTime
  private let log = Locked(Log())
  private let bag = DisposeBag()

  /// - Parameter prepare: the work of the connect closure before it makes a pair.
  init(
    _ time: VirtualTime,
    configuration: ReconnectionConfiguration = .init(),
    strategy: ReconnectionStrategy = .exponential(),
    log sink: WebSocketLog = .none,
    random: Double = 0,
    prepare: @escaping @Sendable () async throws -> Void = {}
  ) {
    let log = log
    var configuration = configuration
    configuration.random = { random }
    self.time = time
    let connect: @Sendable () async throws -> any WebSocketType = {
      log.withLock { $0.attempts.append(time.elapsed) }
      try await prepare()
      let (client, server) = MockWebSocket.pair()
      log.withLock { $0.peers.append(server) }
      return client
    }
    let (chosen, rest) = (strategy, configuration)
    socket = time.run {
      ReconnectingWebSocket(connect: connect, strategy: chosen, log: sink, configuration: rest)
    }
    watch()
  }

  private func watch() {
    let log = log
    let ended: @Sendable () -> Void = { log.withLock { $0.completions += 1 } }
    bag.insert(
      socket.events.subscribe(
        onNext: { event in log.withLock { $0.events.append(event) } }, onCompleted: ended),
      socket.reconnectionStates.subscribe(
        onNext: { state in log.withLock { $0.reconnectionStates.append(state) } },
        onCompleted: ended),
      socket.states.subscribe(
        onNext: { state in log.withLock { $0.states.append(state) } }, onCompleted: ended),
      socket.messages.subscribe(
        onNext: { message in log.withLock { $0.texts.append(message.text ?? "") } },
        onError: { error in log.withLock { $0.failure = error as? WebSocketError } },
        onDisposed: ended),
      socket.sendOutcomes.subscribe(
        onNext: { fate in
          let outcome =
            if case .failed(let error) = fate.outcome { "failed(\(error))" } else {
              "\(fate.outcome)"
            }
          log.withLock { $0.sendOutcomes.append("\(fate.number) \(outcome)") }
        },
        onCompleted: ended)
    )
  }

  func start() {
    socket.connect()
    time.settle()
  }

  var attempts: [TimeInterval] { log.withLock { $0.attempts } }
  var peer: MockWebSocket? { log.withLock { $0.peers.last } }
  var received: [[String]] {
    log.withLock { $0.peers }.map { $0.received.map { $0.text ?? "" } }
  }
  var events: [WebSocketEvent] { log.withLock { $0.events } }
  var texts: [String] { log.withLock { $0.texts } }
  var reconnectionStates: [ReconnectionState] { log.withLock { $0.reconnectionStates } }
  var states: [WebSocketState] { log.withLock { $0.states } }
  var sendOutcomes: [String] { log.withLock { $0.sendOutcomes } }
  var failure: WebSocketError? { log.withLock { $0.failure } }
  /// Whether all five streams have ended.
  var isCompleted: Bool { log.withLock { $0.completions == 5 } }
}
