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
    let once = try instructions(of: workload, operations: operations)
    let twice = try instructions(of: workload, operations: 2 * operations)
    return (twice - once) / Double(operations * workload.deliveries)
  }

  private static let operations = 20_000

  private static func instructions(of workload: Workload, operations: Int) throws -> Double {
    let valgrind = Process()
    let output = Pipe()
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
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    valgrind.waitUntilExit()
    guard valgrind.terminationStatus == 0, let found = text.firstMatch(of: /Collected : (\d+)/),
      let count = Double(found.1)
    else { throw Failure(output: text) }
    return count
  }

  private static var executable: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }
}
