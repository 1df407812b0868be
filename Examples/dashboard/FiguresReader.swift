import Foundation

/// Reads the figures of a machine again and again.
protocol FiguresReading: Sendable {
  /// The figures of the last reading.
  var figures: Figures { get }

  /// Reads the next figures.
  func next() -> Self
}

#if os(Linux)

/// Reads the figures of this machine from `/proc`.
struct FiguresReader: FiguresReading {
  /// The figures of the last reading.
  private(set) var figures = Figures()
  private var time = Proc.processorTime(stat: Self.text("stat"))

  /// Reads the next figures; the share of the processors is that since this reading.
  func next() -> FiguresReader {
    var next = FiguresReader()
    if let time, let now = next.time { next.figures.cpu = now.share(since: time) }
    if let (used, total) = Proc.memory(meminfo: Self.text("meminfo")) {
      (next.figures.memoryUsed, next.figures.memoryTotal) = (used, total)
    }
    next.figures.load = Proc.load(loadavg: Self.text("loadavg")) ?? []
    return next
  }

  /// The bytes that this machine received since it started.
  static func bytesReceived() -> UInt64 { Proc.bytesReceived(netDev: text("net/dev")) ?? 0 }

  private static func text(_ name: String) -> String {
    (try? String(contentsOfFile: "/proc/\(name)", encoding: .utf8)) ?? ""
  }
}

#else

/// Simulates figures, and marks them so: only Linux has `/proc`.
struct FiguresReader: FiguresReading {
  /// The simulated figures.
  private(set) var figures = Figures(memoryTotal: 16 << 30, areInvented: true)
  private var turn = 0.0

  /// The next figures, on a circle.
  func next() -> FiguresReader {
    var next = self
    next.turn += 0.1
    next.figures.cpu = 0.5 + 0.4 * sin(next.turn)
    next.figures.memoryUsed = UInt64(8e9 + 1e9 * cos(next.turn))
    next.figures.load = [1 + sin(next.turn), 1, 1]
    return next
  }

  /// A thousand bytes a second since 1970.
  static func bytesReceived() -> UInt64 { UInt64(Date().timeIntervalSince1970 * 1_000) }
}

#endif
