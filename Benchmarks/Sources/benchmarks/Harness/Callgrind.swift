import Foundation

/// Counts instructions, which repeat from run to run on a busy machine too.
@MainActor
enum Callgrind {
  /// Valgrind is missing or failed.
  struct Failure: Error { let output: String }

  /// The instructions of one operation of ours.
  ///
  /// The difference of two runs, one with twice the operations: the start of the process and the
  /// preparation cancel out.
  static func instructions(of workload: Workload) throws -> Double {
    let operations = min(workload.operations ?? operations, operations)
    // Both at the same time: the counts do not depend on it.
    let once = try Run(workload, operations: operations)
    let twice = try Run(workload, operations: 2 * operations)
    let (more, fewer) = (try twice.instructions(), try once.instructions())
    return (more - fewer) / Double(operations * workload.deliveries)
  }

  private static let operations = 20_000

  /// A process that valgrind counts.
  @MainActor private struct Run {
    private let valgrind = Process()
    private let output = Pipe()

    init(_ workload: Workload, operations: Int) throws {
      valgrind.executableURL = URL(filePath: "/usr/bin/env")
      valgrind.arguments = [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", executable,
        "--single=\(workload.name)/ours/\(operations)",
      ]
      // Without this Swift's hashes differ from run to run.
      let determined = ["SWIFT_DETERMINISTIC_HASHING": "1"]
      valgrind.environment = ProcessInfo.processInfo.environment.merging(determined) { $1 }
      valgrind.standardOutput = FileHandle.nullDevice
      valgrind.standardError = output
      try valgrind.run()
    }

    /// Waits for the end of the process.
    func instructions() throws -> Double {
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      valgrind.waitUntilExit()
      guard valgrind.terminationStatus == 0, let found = text.firstMatch(of: /Collected : (\d+)/),
        let count = Double(found.1)
      else { throw Failure(output: text) }
      return count
    }
  }

  private static var executable: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }
}
