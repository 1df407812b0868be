import Foundation

/// How far a run is and how long it still takes, on the standard error.
///
/// On a terminal one line that is overwritten; elsewhere only the number of workloads, before the rows.
@MainActor
struct Progress {
  private let total: Int
  private let nominalTotal: Double
  private let started = wallNanoseconds()
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var done = 0
  private var nominalDone = 0.0

  /// - Parameter nominal: the expected time of the workloads, in seconds, corrected by the actual times.
  init(of total: Int, nominal: Double) {
    self.total = total
    nominalTotal = nominal
    say("\(total) workloads, \(Self.time(nominal))\n")
  }

  /// `name` begins.
  func begin(_ name: String) {
    guard isTerminal else { return }
    say("\r\u{1B}[K[\(done + 1)/\(total)] \(name), \(Self.time(secondsLeft)) left")
  }

  /// The current workload has ended; the line is erased for the row.
  mutating func end(nominal: Double) {
    done += 1
    nominalDone += nominal
    if isTerminal { say("\r\u{1B}[K") }
  }

  private var secondsLeft: Double {
    let left = nominalTotal - nominalDone
    guard nominalDone > 0 else { return left }
    return left * (wallNanoseconds() - started) / 1e9 / nominalDone
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  private static func time(_ seconds: Double) -> String {
    seconds < 90
      ? "about \(Int(seconds.rounded(.up))) s" : "about \(Int((seconds / 60).rounded())) min"
  }
}
