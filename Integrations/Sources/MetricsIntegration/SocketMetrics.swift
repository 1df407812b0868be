import Dispatch
import Metrics
import Sockets
import Synchronization

extension WebSocket {
  /// Reports the life and the traffic of a client from now on as metrics: at each interval, and at its end.
  ///
  /// ```swift
  /// let socket = WebSocket("wss://example.com/prices")
  /// socket.report(as: "prices").disposed(by: bag)
  /// socket.connect()
  /// ```
  ///
  /// | metric | kind, unit | dimensions |
  /// | --- | --- | --- |
  /// | `websocket.client.active_connections` | meter: 1 or 0 | |
  /// | `websocket.client.connect.duration` | timer: from `connect()`, if it is called later, to `connected` | |
  /// | `websocket.client.closed_connections` | counter | `websocket.close.code` |
  /// | `websocket.client.messages` | counter | `network.io.direction` |
  /// | `websocket.client.io` | counter, bytes | `network.io.direction` |
  /// | `websocket.client.queued` | meter, bytes | |
  /// | `websocket.client.round_trip.duration` | timer | |
  ///
  /// Each has the dimension `websocket.client.name`: sockets that are open at the same time need different names,
  /// because a meter has one value. The connection lives as long as the subscription. Its messages are
  /// not observed.
  ///
  /// - Parameters:
  ///   - name: value of `websocket.client.name`
  ///   - interval: time between two reports: 10 seconds
  ///   - scheduler: clock of the interval and of the durations: the global dispatch queue
  ///   - factory: makes the metrics: that of `MetricsSystem`
  /// - Returns: The subscription; disposing of it ends the reports.
  public func report(
    as name: String, every interval: Duration = .seconds(10),
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    to factory: any MetricsFactory = MetricsSystem.factory
  ) -> any Disposable {
    let reporter = SocketReporter(
      Instruments("websocket.client", [("websocket.client.name", name)], factory),
      from: state, metrics: { [self] in metrics }, uptime: { scheduler.uptimeNanoseconds })
    // At most 292 years.
    let nanoseconds = (interval / .nanoseconds(1)).rounded()
    let period = RxTimeInterval.nanoseconds(Int(exactly: nanoseconds) ?? .max)
    // Not `events`: its first observer would receive the messages that wait for the program's.
    let life = states.subscribe(
      onNext: { reporter.note($0) },
      onCompleted: { [self] in
        guard reporter.first != .disconnected else { return }
        Task { if let (code, _) = try? await closed() { reporter.noteClosed(code) } }
      })
    let ticks = Observable<Int>.interval(period, scheduler: scheduler)
      .take(until: states.ignoreElements().asObservable().materialize())
      .subscribe(onNext: { _ in reporter.reportTraffic() })
    return Disposables.create(life, ticks)
  }
}

/// Reports the states of one WebSocket, and the differences of its counts.
private final class SocketReporter: Sendable {
  private struct State {
    var last: WebSocketMetrics
    var began: UInt64?
  }

  /// The state in which the reports began.
  let first: WebSocketState
  private let instruments: Instruments
  private let metrics: @Sendable () -> WebSocketMetrics
  private let uptime: @Sendable () -> UInt64
  private let state: Mutex<State>

  init(
    _ instruments: Instruments, from first: WebSocketState,
    metrics: @escaping @Sendable () -> WebSocketMetrics,
    uptime: @escaping @Sendable () -> UInt64
  ) {
    self.first = first
    self.instruments = instruments
    self.metrics = metrics
    self.uptime = uptime
    state = Mutex(State(last: metrics()))
  }

  func note(_ socketState: WebSocketState) {
    let now = uptime()
    switch socketState {
    case .idle: break
    // Otherwise it has begun at an unknown time.
    case .connecting: if first == .idle { state.withLock { $0.began = now } }
    case .connected:
      instruments.set("active_connections", 1)
      if let began = state.withLock({ $0.began }) {
        instruments.record("connect.duration", .nanoseconds(Int64(now - began)))
      }
    case .disconnecting: break
    case .disconnected:
      instruments.set("active_connections", 0)
      reportTraffic()
    }
  }

  func noteClosed(_ code: CloseCode) {
    instruments.count(
      "closed_connections", 1, [("websocket.close.code", "\(code.rawValue)")])
  }

  func reportTraffic() {
    // One report at a time: a report with an earlier figure must not be the last one.
    state.withLock { state in
      let now = metrics()
      report(now, since: state.last)
      state.last = now
    }
  }

  private func report(_ now: WebSocketMetrics, since last: WebSocketMetrics) {
    instruments.countTraffic(
      "messages", received: now.messagesReceived - last.messagesReceived,
      sent: now.messagesSent - last.messagesSent)
    instruments.countTraffic(
      "io", received: now.bytesReceived - last.bytesReceived,
      sent: now.bytesSent - last.bytesSent)
    instruments.set("queued", now.queuedBytes)
    if let time = now.roundTripTime, time != last.roundTripTime {
      instruments.record("round_trip.duration", time)
    }
  }
}
