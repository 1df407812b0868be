import Foundation

/// The machine and the time of the figures.
struct Machine: Codable {
  let date: String
  let processor: String
  let cores: Int
  let swift: String
  /// The average number of runnable processes over the last minute.
  let load: Double

  @MainActor static let current = now()

  #if arch(x86_64)
  static let architecture = "x86_64"
  #elseif arch(arm64)
  static let architecture = "arm64"
  #else
  static let architecture = "another"
  #endif

  private static func now() -> Machine {
    var load = [0.0]
    getloadavg(&load, 1)
    return Machine(
      date: Date().formatted(.iso8601),
      processor: processor ?? "unknown processor",
      cores: ProcessInfo.processInfo.activeProcessorCount,
      swift: swiftVersion ?? "unknown",
      load: load[0]
    )
  }

  var line: String {
    "\(date), \(processor), \(cores) cores, Swift \(swift), load \(load.significant(3))"
  }

  /// The day, the processor and the compiler.
  var short: String { "\(date.prefix(10)), \(processor), Swift \(swift)" }

  private static var processor: String? {
    let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    return information?.split(separator: "\n")
      .first { $0.hasPrefix("model name") }?
      .split(separator: ":").last
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The version of the compiler in the path: the standard library does not know its patch version.
  private static var swiftVersion: String? {
    let compiler = Process()
    let output = Pipe()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["swift", "--version"]
    compiler.standardOutput = output
    compiler.standardError = FileHandle.nullDevice
    guard (try? compiler.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return text.firstMatch(of: /Swift version (\S+)/).map { String($0.1) }
  }
}
