import Foundation

/// The results of a run.
struct Report: Codable {
  let machine: Machine
  /// The source of the quoted figures.
  var quoted = Quoted.source
  /// Whether Ctrl-C ended it before everything was measured.
  var isPart = false
  var measurements: [Measurement] = []
  var curves: [CurveFound] = []
  /// For one operation of ours.
  var instructions: [String: Double] = [:]
  var verdicts: [Verdict] = []

  var hasFailed: Bool { verdicts.contains { $0.outcome == .fail } }

  func measurement(_ name: String) -> Measurement? { measurements.first { $0.name == name } }

  static func read(from path: String) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(filePath: path))
  }
}
