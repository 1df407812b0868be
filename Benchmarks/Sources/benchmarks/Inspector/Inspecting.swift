import Compose
import Foundation
import Inspector

extension Workload {
  /// The costs of the inspector.
  static let inspector = [off, recorded, unwatched, watched]

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

  private static let unwatchedLog = LatencyLog()

  private static let unwatched = Workload(
    "inspector/unwatched",
    "an action of one of 1,000 composers that have 100 a second each, after 500,000",
    operations: 100_000,
    rounds: 3,
    seconds: 5,
    log: unwatchedLog
  ) {
    let counters = (0..<1_000).map { _ in Composed(sending: Counter()) }
    warmUp(counters)
    return { count in
      increment(counters, count, unwatchedLog)
      return count
    }
  }

  private static let watchedLog = LatencyLog()

  private static let watched = Workload(
    "inspector/watched",
    "the same with an inspector that records them, and a client that shows them, in this process: "
      + "1,000 ns more are 10 % of a core",
    operations: 100_000,
    rounds: 3,
    seconds: 5,
    log: watchedLog,
    targets: [
      .nanosecondsOver(1_000, "inspector/unwatched"), .latencyByWorkload(2, "inspector/unwatched"),
    ]
  ) {
    let inspector = makeInspector()
    let counters = (0..<1_000).map { _ in Composed(sending: Counter()) }
    for counter in counters { inspector.add(counter) }
    let client = InspectingClient(inspector.url)
    warmUp(counters)
    return { count in
      increment(counters, count, watchedLog)
      return withExtendedLifetime((inspector, client)) { count }
    }
  }

  /// Sends as many actions as an inspector keeps: it drops the oldest ones from then on.
  private static func warmUp(_ counters: [Composed<Counter.State, Counter.Action>]) {
    for index in 0..<500_000 { counters[index % counters.count].send(.increment) }
  }

  /// Sends `count` actions to the composers in turn, at most 100,000 a second.
  private static func increment(
    _ counters: [Composed<Counter.State, Counter.Action>], _ count: Int, _ log: LatencyLog
  ) {
    let start = DispatchTime.now()
    for index in 0..<count {
      if index.isMultiple(of: 1_000) {
        wait(until: start + .microseconds(index * 10))
        log.restart()
      }
      counters[index % counters.count].send(.increment)
      log.lap()
    }
  }

  private static func wait(until time: DispatchTime) {
    _ = DispatchSemaphore(value: 0).wait(timeout: time)
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
