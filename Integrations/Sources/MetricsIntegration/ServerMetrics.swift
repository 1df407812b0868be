import Metrics
import Sockets

extension WebSocketServer {
  /// Reports the totals of the server as metrics from now on, at each interval and after its end.
  ///
  /// ```swift
  /// server.report(as: "api").disposed(by: bag)
  /// ```
  ///
  /// The names and units follow OpenTelemetry's conventions. OpenTelemetry has none for WebSockets yet:
  /// these are named like its metrics of HTTP servers.
  ///
  /// | metric | kind, unit | dimensions |
  /// | --- | --- | --- |
  /// | `websocket.server.active_connections` | meter | |
  /// | `websocket.server.active_handshakes` | meter | |
  /// | `websocket.server.accepted_connections` | counter | |
  /// | `websocket.server.opened_connections` | counter | |
  /// | `websocket.server.closed_connections` | counter | `websocket.close.code` |
  /// | `websocket.server.refused_handshakes` | counter | `http.response.status_code` |
  /// | `websocket.server.failed_handshakes` | counter | `error.type`: `tls`, `timeout` |
  /// | `websocket.server.answered_requests` | counter | `http.response.status_code` |
  /// | `websocket.server.messages` | counter | `network.io.direction` |
  /// | `websocket.server.io` | counter, bytes | `network.io.direction` |
  /// | `websocket.server.queued` | meter, bytes | |
  /// | `websocket.server.held` | meter, bytes | |
  /// | `websocket.server.loop.lag` | meter, seconds | |
  ///
  /// Each has the dimension `websocket.server.name`, unless it is empty. Servers at the same time need
  /// different names, because a meter has one value. `network.io.direction` is
  /// `receive` or `transmit`. Each report reads every connection, on the server's event loop.
  ///
  /// - Parameters:
  ///   - name: value of `websocket.server.name`; empty by default
  ///   - interval: time between two reports: 10 seconds
  ///   - factory: makes the metrics: that of `MetricsSystem`
  /// - Returns: The subscription; disposing of it ends the reports.
  public func report(
    as name: String = "", every interval: Duration = .seconds(10),
    to factory: any MetricsFactory = MetricsSystem.factory
  ) -> any Disposable {
    let reporter = ServerReporter(
      Instruments(
        "websocket.server", name.isEmpty ? [] : [("websocket.server.name", name)], factory))
    let first = totals
    return totals(every: interval).scan(into: (first, first)) { $0 = ($0.1, $1) }.subscribe(
      onNext: { reporter.report($1, after: $0) })
  }
}

/// Reports the difference of two totals.
struct ServerReporter: Sendable {
  private let instruments: Instruments

  init(_ instruments: Instruments) { self.instruments = instruments }

  /// Called by one thread at a time.
  func report(_ totals: WebSocketServerTotals, after last: WebSocketServerTotals) {
    instruments.set("active_connections", totals.open)
    instruments.set("active_handshakes", totals.handshaking)
    instruments.set("queued", totals.queuedBytes)
    instruments.set("held", totals.heldBytes)
    instruments.set("loop.lag", totals.loopLag / .seconds(1))
    instruments.count("accepted_connections", totals.accepted - last.accepted)
    instruments.count("opened_connections", totals.opened - last.opened)
    count("closed_connections", totals.closed, after: last.closed, by: "websocket.close.code") {
      $0.rawValue
    }
    count("refused_handshakes", totals.refused, after: last.refused, by: Self.status) { $0 }
    count("answered_requests", totals.answered, after: last.answered, by: Self.status) { $0 }
    instruments.count(
      "failed_handshakes", totals.failedTLS - last.failedTLS, [("error.type", "tls")])
    instruments.count(
      "failed_handshakes", totals.timedOut - last.timedOut, [("error.type", "timeout")])
    instruments.countTraffic(
      "messages", received: totals.messagesReceived - last.messagesReceived,
      sent: totals.messagesSent - last.messagesSent)
    instruments.countTraffic(
      "io", received: totals.bytesReceived - last.bytesReceived,
      sent: totals.bytesSent - last.bytesSent)
  }

  private static let status = "http.response.status_code"

  /// Counts the differences of each key, which `number` writes as the value of a dimension.
  private func count<Key, Number>(
    _ name: String, _ counts: [Key: Int], after last: [Key: Int], by dimension: String,
    _ number: (Key) -> Number
  ) {
    for (key, count) in counts {
      instruments.count(name, count - last[key, default: 0], [(dimension, "\(number(key))")])
    }
  }
}
