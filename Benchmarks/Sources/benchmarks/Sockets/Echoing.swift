extension Workload {
  /// One client and one server, joined by one connection over loopback.
  static let echoing = [echo, pipelined, bulk]

  private static let echo = Workload(
    "sockets/echo",
    "a text of 64 bytes there and back, one at a time",
    exchange: Exchange(.text, bytes: 64, window: 1),
    gates: [.latencyByRaw(2)]
  )

  private static let pipelined = Workload(
    "sockets/pipelined",
    "a text of 64 bytes there and back, a thousand on their way",
    exchange: Exchange(.text, bytes: 64, window: 1000),
    gates: [.perSecond(500_000)]
  )

  private static let bulk = Workload(
    "sockets/bulk",
    "64 KiB there and back, eight on their way",
    exchange: Exchange(.binary, bytes: 65_536, window: 8)
  )

  private init(_ name: String, _ summary: String, exchange: Exchange, gates: [Gate] = []) {
    let log = exchange.window == 1 ? LatencyLog() : nil
    let ours: @MainActor () -> Contender.Body = {
      let echo = WebSocketEcho(exchange, log)
      return { echo.run($0) }
    }
    func raw(threads: Int) -> @MainActor () -> Contender.Body {
      {
        let echo = RawEcho(exchange, log, threads: threads)
        return { echo.run($0) }
      }
    }
    self.init(
      name,
      summary,
      messageBytes: exchange.bytes,
      log: log,
      gates: gates,
      ours: ours,
      loop: exchange.window == 1 ? raw(threads: 1) : nil,
      raw: raw(threads: 2)
    )
  }
}
