import Foundation

/// The leader of a cluster: several servers on one port, and clients with addresses of their own.
///
/// It ends with an error unless every connection stays open for the time, receives the one message that one
/// server publishes, once, and is closed with the expected code.
struct Cluster {
  private let options: ClusterOptions
  private var servers: [ClusterProcess] = []
  private var clients: [ClusterProcess] = []

  /// The time in which servers close their connections.
  private static let closingSeconds = 10

  init(_ options: ClusterOptions) { self.options = options }

  mutating func run() throws {
    // A command to a process that has ended is an error.
    signal(SIGPIPE, SIG_IGN)
    let connections = options.connections / options.clients * options.clients
    let each = connections / options.clients
    var result = ClusterResult(connections: connections, options)
    let load = try readSystemFile("/proc/loadavg").split(separator: " ").first
    result.loadBefore = load.flatMap { Double($0) } ?? 0

    try start()
    // The first connections allocate shared objects, which are not part of the cost of each.
    _ = try clients.ask(.connect(50))
    _ = try clients.ask(.close(50))
    while try servers.ask(.status).contains(where: { $0.open > 0 }) {}

    let before = try Snapshot(servers, clients)
    result.residentOfServer = before.servers.resident / servers.count
    Crowd.say("connecting \(connections)")
    var start = ContinuousClock.now
    _ = try clients.ask(.connect(each))
    result.connectSeconds = seconds(since: start)
    result.connectServerCPU = try servers.usage().cpu - before.servers.cpu
    _ = try servers[0].ask(.awaitSubscribers(connections))
    result.ofEachServer = try servers.ask(.status).map(\.open)

    Crowd.say("\(result.ofEachServer) of the servers; holding for \(options.seconds) s")
    let connected = try Snapshot(servers, clients)
    Thread.sleep(forTimeInterval: Double(options.seconds))
    let held = try Snapshot(servers, clients)
    result.heldOpen = try clients.ask(.status).map(\.open).reduce(0, +)
    result.heldServerCPU = held.servers.cpu - connected.servers.cpu
    result.heldClientCPU = held.clients.cpu - connected.clients.cpu
    result.note(held, since: before)

    Crowd.say("publishing")
    result.publishMicroseconds = try servers[0].ask(.publish).microseconds
    result.note(latencies: try clients.ask(.awaitMessages).flatMap(\.latencies))
    let published = try Snapshot(servers, clients)
    result.broadcastServerCPU = published.servers.cpu - held.servers.cpu
    result.buffersAfterBroadcast = published.kernel.socketBuffers

    Crowd.say("closing, half by each side")
    start = .now
    _ = try clients.ask(.close(each / 2))
    let stopping = try servers.ask(.shutDown(overSeconds: Self.closingSeconds))
    let ended = try clients.ask(.awaitEnd)
    result.closeSeconds = seconds(since: start)
    result.dropped = stopping.map(\.dropped).reduce(0, +)
    // After the end of the connections, so that no message is on its way.
    result.missed = ended.map(\.missed).reduce(0, +)
    result.receivedOnce = ended.map(\.receivedOnce).reduce(0, +)
    result.receivedAgain = ended.map(\.receivedAgain).reduce(0, +)
    for process in clients + servers { try process.end() }

    Crowd.say(try result.json)
    if let report = options.report {
      try ClusterReport(result).text.write(toFile: report, atomically: true, encoding: .utf8)
    }
    try result.check()
  }

  private mutating func start() throws {
    var port: UInt16 = 0
    for _ in 0..<options.servers {
      let server = try ClusterProcess(["cluster-server", "\(port)", options.redis])
      port = try server.ask(.status).port
      servers.append(server)
    }
    for number in 0..<options.clients {
      // 127.0.0.1 is the address of the servers.
      clients.append(try ClusterProcess(["cluster-clients", "127.0.0.\(2 + number)", "\(port)"]))
    }
  }

  private func seconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .seconds(1)
  }
}

/// The resources of all at one time.
struct Snapshot {
  let servers: ProcessUsage
  let clients: ProcessUsage
  let kernel: KernelUsage

  init(_ servers: [ClusterProcess], _ clients: [ClusterProcess]) throws {
    self.servers = try servers.usage()
    self.clients = try clients.usage()
    kernel = try .current()
  }
}

/// The size of a run.
struct ClusterOptions {
  var redis = ""
  var connections = 100_000
  var servers = 8
  var clients = 8
  var seconds = 60
  var report: String?

  init(_ words: some Sequence<String>) throws {
    var words = words.makeIterator()
    while let name = words.next() {
      guard let value = words.next() else { throw Problem("\(name) needs a value") }
      let number = Int(value) ?? 0
      switch name {
      case "--redis": redis = value
      case "--report": report = value
      case "--connections" where number > 0: connections = number
      case "--servers" where number > 0: servers = number
      case "--clients" where 1...250 ~= number: clients = number
      case "--seconds" where number > 0: seconds = number
      default: throw Problem("\(name) \(value) is not known")
      }
    }
  }
}
