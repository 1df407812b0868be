import Foundation

/// The report of a run in Markdown: the machine, the figures, and the same figures for a million.
struct ClusterReport {
  private let result: ClusterResult

  init(_ result: ClusterResult) { self.result = result }

  var text: String {
    get throws {
      """
      # \(number(result.connections)) connections

      \(try machine)

      \(result.serverProcesses) server processes on one port, \(result.clientProcesses) client processes \
      with a local address each, and a Redis. Servers and clients share the machine. Both ends send pings, by \
      default every 20 seconds. The clients are made over sockets that are bound before, which costs each some \
      memory that a client of a URL does not have. `cluster.sh` writes this report.

      | step | figure |
      | --- | --- |
      \(table(rows))

      Memory of a connection in the caches of the kernel, both ends together:

      | cache | bytes |
      | --- | --- |
      \(table(caches))

      ## A million, on paper

      The figures above, for a million connections to machines that serve only. The memory of the kernel is \
      half of the above, because the clients are elsewhere.

      | what | figure |
      | --- | --- |
      \(table(million))

      """
    }
  }

  private var rows: [(String, String)] {
    let least = result.ofEachServer.min() ?? 0
    let most = result.ofEachServer.max() ?? 0
    let rate = Int(Double(result.connections) / result.connectSeconds)
    return [
      ("connect and handshake of all", "\(short(result.connectSeconds)) s"),
      ("handshakes a second", number(rate)),
      ("CPU of the servers for a handshake", "\(microseconds(result.connectServerCPU)) us"),
      ("connections of a server", "\(number(least)) to \(number(most))"),
      ("resident memory of a server before", "\(short(Double(result.residentOfServer) / 1e6)) MB"),
      ("resident memory of a connection, server", "\(number(result.serverResident)) B"),
      ("heap of a connection, server", "\(number(result.serverHeap)) B"),
      ("resident memory of a connection, client", "\(number(result.clientResident)) B"),
      ("heap of a connection, client", "\(number(result.clientHeap)) B"),
      ("kernel caches of a connection, both ends", "\(number(kernel)) B"),
      ("socket buffers of all while idle", "\(number(result.buffersHeld)) B"),
      ("open after \(result.seconds) idle seconds", number(result.heldOpen)),
      ("CPU of the servers meanwhile, for pings", "\(short(result.heldServerCPU)) s"),
      ("CPU of the clients meanwhile, for pings", "\(short(result.heldClientCPU)) s"),
      ("one message to all: the call", milliseconds(result.publishMicroseconds)),
      ("until half of the clients have it", milliseconds(result.broadcastMedian)),
      ("until 99 % have it", milliseconds(result.broadcast99th)),
      ("until all have it", milliseconds(result.broadcastLast)),
      ("CPU of the servers for one client", "\(microseconds(result.broadcastServerCPU)) us"),
      ("socket buffers of all right after", "\(number(result.buffersAfterBroadcast)) B"),
      ("clients that missed it", number(result.missed)),
      ("clients that got it again", number(result.receivedAgain)),
      ("close, half by clients, then half by servers in 10 s", "\(short(result.closeSeconds)) s"),
      ("connections dropped by a server", number(result.dropped)),
    ]
  }

  private var caches: [(String, String)] {
    result.kernelCaches.sorted { $0.value > $1.value }.map { ("`\($0.key)`", number($0.value)) }
  }

  private var kernel: Int { result.kernelCaches.values.reduce(0, +) }

  private var million: [(String, String)] {
    let million = 1e6
    let scale = million / Double(result.connections)
    let processes = Int((million / 19_000).rounded(.up))
    let resident =
      Double(result.serverResident) * million + Double(processes * result.residentOfServer)
    let minute = result.heldServerCPU * scale / Double(result.seconds)
    return [
      ("processes of 19,000 connections, with 20,000 open files each", number(processes)),
      ("open files of all processes, which `fs.file-max` limits", "1,000,000"),
      ("resident memory of the processes", "\(short(resident / 1e9)) GB"),
      ("kernel memory", "\(short(Double(kernel) / 2 * million / 1e9)) GB"),
      ("CPU for all handshakes", "\(short(result.connectServerCPU * scale)) s of one core"),
      ("CPU while idle, for pings", "\(short(minute)) cores"),
      ("CPU for one message to all", "\(short(result.broadcastServerCPU * scale)) s of one core"),
      ("messages of Redis for one message to all", number(processes)),
    ]
  }

  // MARK: The machine

  private var machine: String {
    get throws {
      let info = try readSystemFile("/proc/cpuinfo").split(whereSeparator: \.isNewline)
      let cpu = info.first { $0.hasPrefix("model name") }?.split(separator: ": ").last ?? "?"
      let memory = try readSystemFile("/proc/meminfo").split(separator: " ").dropFirst().first
      let gigabytes = (memory.flatMap { Double($0) } ?? 0) * 1024 / 1e9
      let release = try readSystemFile("/proc/sys/kernel/osrelease")
      let files = Int(try readSystemFile("/proc/sys/fs/file-max").filter(\.isNumber)) ?? 0
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let ports = try readSystemFile("/proc/sys/net/ipv4/ip_local_port_range")
        .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      let portCount = ports.count == 2 ? ports[1] - ports[0] + 1 : 0
      return """
        \(cpu), \(ProcessInfo.processInfo.processorCount) cores, \(short(gigabytes)) GB, Linux \
        \(release.trimmingCharacters(in: .whitespacesAndNewlines)); \(number(Int(limit.rlim_max))) open files \
        for a process, \(number(files)) for all; \(number(portCount)) ports for an address. The load average \
        before the run, from other programs: \(short(result.loadBefore)).
        """
    }
  }

  // MARK: Text

  private func table(_ rows: [(String, String)]) -> String {
    rows.map { "| \($0.0) | \($0.1) |" }.joined(separator: "\n")
  }

  /// Microseconds of one connection.
  private func microseconds(_ seconds: Double) -> String {
    short(seconds * 1e6 / Double(result.connections))
  }

  private func milliseconds(_ microseconds: Int) -> String {
    "\(number(microseconds / 1_000)) ms"
  }

  private func short(_ figure: Double) -> String { String(format: "%.1f", figure) }

  private func number(_ number: Int) -> String {
    var digits = Array(String(number))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
  }
}
