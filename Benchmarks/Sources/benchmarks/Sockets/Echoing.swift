import Sockets

extension Workload {
  /// One client and one server, joined by one connection over loopback.
  static let echoing = [
    echo, echoAwaited, pipelined, bulk, bulkTLS, handshake, read, reads, longRead, idle,
  ]

  private static let echo = Workload(
    "sockets/echo",
    "a text of 64 bytes there and back, one at a time",
    exchange: Exchange(.text, bytes: 64, window: 1),
    targets: [.latencyByRaw(2), .microseconds(18), .perSecond(55_000)]
  )

  private static let echoAwaited: Workload = {
    let exchange = Exchange(.text, bytes: 64, window: 1)
    let log = LatencyLog()
    return Workload(
      "sockets/echoAwaited",
      "the same, where a task awaits each message",
      messageBytes: exchange.bytes,
      log: log,
      targets: [.microseconds(30), .perSecond(35_000)],
      others: [.raw: raw(exchange, log, threads: 2)]
    ) {
      let echo = AwaitedEcho(exchange, log)
      return { echo.run($0) }
    }
  }()

  private static let pipelined = Workload(
    "sockets/pipelined",
    "a text of 64 bytes there and back, a thousand in flight",
    exchange: Exchange(.text, bytes: 64, window: 1000),
    targets: [.perSecond(2_000_000), .nanoseconds(500)]
  )

  private static let bulk = Workload(
    "sockets/bulk",
    "64 KiB there and back, eight in flight",
    exchange: Exchange(.binary, bytes: 65_536, window: 8),
    targets: [.megabytesPerSecond(2000)]
  )

  private static let bulkTLS: Workload = {
    let exchange = Exchange(.binary, bytes: 65_536, window: 8)
    return Workload(
      "sockets/bulkTLS",
      "the same over TLS",
      messageBytes: exchange.bytes,
      targets: [.megabytesPerSecond(850)],
      others: [.raw: raw(exchange, nil, threads: 2)]
    ) {
      let echo = WebSocketEcho(exchange, nil, .forBenchmarks)
      return { echo.run($0) }
    }
  }()

  private static let handshake: Workload = {
    let held = Lazy { PlainClients(handshakes) }
    return Workload(
      "sockets/handshake",
      "a plain client connects, asks for a WebSocket and receives one echo, CPU of both",
      operations: handshakes,
      rounds: 3,
      seconds: 2,
      // The ends of the batch before are counted with it, or not.
      gates: [.allocations(70), .stored(.instructions)],
      afterBatch: { held.value?.close() }
    ) {
      let clients = held.make()
      return { count in
        for _ in 0..<count { clients.open() }
        return count
      }
    }
  }()

  private static let handshakes = 500

  private static let read = serving(
    "sockets/read", "a text of 64 bytes that is read, echoed and written by itself", window: 1)

  private static let reads = serving(
    "sockets/reads", "one of 16 texts of 64 bytes that arrive in one read", window: 16)

  private static let longRead = serving(
    "sockets/longRead", "a text of 16 KiB that is read, echoed and written by itself", window: 1,
    bytes: 16 << 10)

  /// The work of a server: its client costs next to nothing.
  private static func serving(
    _ name: String, _ summary: String, window: Int, bytes: Int = 64
  ) -> Workload {
    // Under callgrind several messages take longer than a connection's share of a turn, which then ends
    // at another one in each run.
    let instructions: [Gate] = window == 1 ? [.stored(.instructions)] : []
    return Workload(
      name, summary, deliveries: window, gates: [.stored(.allocations)] + instructions
    ) {
      let clients = PlainClients(1, window: window, bytes: bytes)
      clients.open()
      return { count in
        for _ in 0..<count { clients.exchange() }
        return count
      }
    }
  }

  private static let idle: Workload = {
    let held = Lazy { IdleConnections(idleConnections) }
    return Workload(
      "sockets/idle",
      "a connection opened; live is the size of an idle connection, both ends together",
      operations: idleConnections,
      rounds: 3,
      seconds: 3,
      gates: [.bytes(2 * 2048), .stored(.live)],
      afterBatch: { held.value?.close() }
    ) {
      let connections = held.make()
      return { count in
        connections.open(count)
        return count
      }
    }
  }()

  private static let idleConnections = 1000

  private static func raw(
    _ exchange: Exchange,
    _ log: LatencyLog?,
    threads: Int
  ) -> Contender.Preparation {
    {
      let echo = RawEcho(exchange, log, threads: threads)
      return { echo.run($0) }
    }
  }

  /// Ours beside raw TCP and the peers.
  fileprivate init(
    _ name: String,
    _ summary: String,
    exchange: Exchange,
    leastOperations: Int = 16,
    targets: [Gate] = []
  ) {
    let log = exchange.window == 1 ? LatencyLog() : nil
    var others = socketPeers.mapValues { make in { make(exchange, log) } as Contender.Preparation }
    others[.raw] = Self.raw(exchange, log, threads: 2)
    // With one thread for both ends, the bytes in flight must fit into the sockets' buffers.
    if exchange.window == 1, exchange.bytes <= 65_536 {
      others[.loop] = Self.raw(exchange, log, threads: 1)
    }
    self.init(
      name,
      summary,
      leastOperations: leastOperations,
      messageBytes: exchange.bytes,
      log: log,
      targets: targets,
      others: others
    ) {
      let echo = WebSocketEcho(exchange, log)
      return { echo.run($0) }
    }
  }
}

extension Curve {
  /// Longer messages, more connections.
  static let sockets = [bytes, connections]

  private static let bytes = Curve(
    "sockets/bytes",
    "A binary message of that many bytes there and back, one at a time",
    axis: "bytes",
    sizes: [64, 1024, 16_384, 65_536, 262_144, 1 << 20, 4 << 20, 16 << 20],
    expected: .linear
  ) { name, bytes in
    Workload(
      name,
      "\(bytes) bytes there and back",
      exchange: Exchange(.binary, bytes: bytes, window: 1),
      leastOperations: 1
    )
  }

  private static let connections = Curve(
    "sockets/connections",
    "A message over one of that many connections to another process and back",
    axis: "connections",
    sizes: [1, 10, 100, 1000, 10_000],
    expected: .flat
  ) { name, count in
    let crowd = Lazy { Crowd(count) }
    return Workload(
      name,
      "a message over one of \(count) connections to another process, CPU of both",
      rounds: 7,
      seconds: 2 + Double(count) / 2000,
      otherProcess: { crowd.value?.serverCPU ?? 0 }
    ) {
      let crowd = crowd.make()
      return { crowd.run($0) }
    }
  }
}

/// What the preparation of a workload makes, for as long as the workload's body lives.
@MainActor
private final class Lazy<Value: AnyObject> {
  private(set) weak var value: Value?
  private let build: @MainActor () -> Value

  init(_ build: @escaping @MainActor () -> Value) { self.build = build }

  func make() -> Value {
    let made = value ?? build()
    value = made
    return made
  }
}
