/// Parses Linux's `/proc` files; nil for any other text.
enum Proc {
  /// Ticks that the processors have spent since the machine started.
  struct ProcessorTime: Equatable {
    var busy: UInt64
    var total: UInt64

    /// The busy share of the time since `earlier`, 0...1.
    func share(since earlier: ProcessorTime) -> Double {
      guard total > earlier.total, busy >= earlier.busy else { return 0 }
      return min(1, Double(busy - earlier.busy) / Double(total - earlier.total))
    }
  }

  /// The first line of `/proc/stat`: `cpu  user nice system idle iowait irq softirq steal ...`.
  static func processorTime(stat: String) -> ProcessorTime? {
    guard let line = stat.split(separator: "\n").first else { return nil }
    let words = line.split(separator: " ")
    // The remaining columns are time of guests, which `user` includes.
    let ticks = words.dropFirst().prefix(8).compactMap { UInt64($0) }
    guard words.first == "cpu", ticks.count >= 4 else { return nil }
    let total = ticks.reduce(0, &+)
    let idle = ticks[3] &+ (ticks.count > 4 ? ticks[4] : 0)
    return ProcessorTime(busy: total &- idle, total: total)
  }

  /// `/proc/meminfo`, in bytes: used is the memory that is not available to programs.
  static func memory(meminfo: String) -> (used: UInt64, total: UInt64)? {
    func bytes(_ name: String) -> UInt64? {
      let line = meminfo.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      guard let kibibytes = line?.split(separator: " ").dropFirst().first else { return nil }
      return UInt64(kibibytes).map { $0 &* 1_024 }
    }
    guard let total = bytes("MemTotal"), let available = bytes("MemAvailable") else { return nil }
    return (total - min(available, total), total)
  }

  /// The first three numbers of `/proc/loadavg`.
  static func load(loadavg: String) -> [Double]? {
    let load = loadavg.split(separator: " ").prefix(3).compactMap { Double($0) }
    return load.count == 3 ? load : nil
  }

  /// `/proc/net/dev`: the bytes that all interfaces received since the machine started.
  static func bytesReceived(netDev: String) -> UInt64? {
    // Two lines of headings, and then `  eth0: bytes packets ...`.
    let counts = netDev.split(separator: "\n").dropFirst(2).compactMap { line -> UInt64? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return line[line.index(after: colon)...].split(separator: " ").first.flatMap { UInt64($0) }
    }
    return counts.isEmpty ? nil : counts.reduce(0, &+)
  }
}
