import Compose
import Foundation
import Inspector

extension Workload {
  /// The costs of the inspector.
  static let inspector = [off, recorded, watched, unwatched]

  private static let off = Workload(
    "inspector/off",
    "an action of a composer that was bound after an inspector had stopped",
    gates: [.allocations(0), .stored(.instructions)]
  ) {
    makeInspector(observesAll: true).stop()
    let counter = Composed(sending: Counter())
    return { count in
      for _ in 0..<count { counter.send(.increment) }
      return counter.state.count
    }
  }

  private static let recorded = Workload(
    "inspector/recorded",
    "an action that an inspector records, without a client",
    gates: [.stored(.allocations), .stored(.instructions)],
    targets: [.nanoseconds(1_000)]
  ) {
    let inspector = makeInspector()
    let counter = Composed(sending: Counter())
    inspector.add(counter)
    return { count in
      for _ in 0..<count { counter.send(.increment) }
      return withExtendedLifetime(inspector) { counter.state.count }
    }
  }

  private static let watchedLog = LatencyLog()

  private static let watched = Workload(
    "inspector/watched",
    "an action of one of 1,000 composers that an inspector records, with a client that shows them; "
      + "1,000 ns are 10 % of a core at 100 actions a second each",
    operations: 200_000,
    log: watchedLog,
    targets: [.nanoseconds(1_000)]
  ) {
    let inspector = makeInspector()
    let counters = (0..<1_000).map { _ in Composed(sending: Counter()) }
    for counter in counters { inspector.add(counter) }
    let client = InspectingClient(inspector.url)
    return { count in
      for index in 0..<count {
        counters[index % 1_000].send(.increment)
        watchedLog.lap()
      }
      return withExtendedLifetime((inspector, client)) { count }
    }
  }

  private static let unwatchedLog = LatencyLog()

  private static let unwatched = Workload(
    "inspector/unwatched",
    "the same without an inspector",
    operations: 200_000,
    log: unwatchedLog
  ) {
    let counters = (0..<1_000).map { _ in Composed(sending: Counter()) }
    return { count in
      for index in 0..<count {
        counters[index % 1_000].send(.increment)
        unwatchedLog.lap()
      }
      return count
    }
  }

  private static func makeInspector(observesAll: Bool = false) -> Inspector {
    var configuration = InspectorConfiguration()
    configuration.observesAll = observesAll
    do {
      return try Inspector(configuration)
    } catch {
      fatalError("The inspector does not start: \(error)")
    }
  }
}

/// A client that shows the composers and follows the steps, as the page does.
private final class InspectingClient: Sendable {
  private let socket: WebSocket
  private let bag = DisposeBag()

  init(_ url: String) {
    socket = WebSocket.connect(to: url.replacing("http://", with: "ws://") + "socket")
    let isWatching = DispatchSemaphore(value: 0)
    socket.states
      .filter { $0 == .connected }
      .subscribe(onNext: { [socket] _ in
        for text in Self.requests { try? socket.send(text) }
      })
      .disposed(by: bag)
    socket.messages
      .filter { $0.text?.contains(#""id":4"#) == true }
      .take(1)
      .subscribe(onNext: { _ in isWatching.signal() })
      .disposed(by: bag)
    isWatching.wait()
  }

  private static let requests = [
    #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":1}}"#,
    #"{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"view":"composers"}}"#,
    #"{"jsonrpc":"2.0","id":3,"method":"open","params":{}}"#,
    #"{"jsonrpc":"2.0","id":4,"method":"subscribe","params":{"view":"effects"}}"#,
  ]
}
