/// A timeline whose entries can be written as JSON.
protocol RecordedTimeline: Sendable {
  /// The entries, which are `Encodable`.
  var encodableEntries: [any Encodable] { get }
}

extension Timeline: RecordedTimeline where State: Codable, Action: Codable {
  var encodableEntries: [any Encodable] { entries }
}

/// Why a recording is not written or not read.
enum RecordingError: Error, Equatable, CustomStringConvertible {
  /// The state or the action of the composer is not `Codable`.
  case notCodable(composer: String)
  /// The range has no step.
  case noSteps
  /// The corrected state is not a state of the composer.
  case wrongState(String)
  /// A line of a file is not an entry.
  case malformed(line: Int)

  /// A sentence for the user.
  var description: String {
    switch self {
    case .notCodable(let composer):
      "The state and the actions of \(composer) must conform to Codable to be written."
    case .noSteps: "There is no step between these events."
    case .wrongState(let reason): "The corrected state is not one: \(reason)"
    case .malformed(let line): "Line \(line) is not an entry of a recording."
    }
  }
}

extension ValueReader {
  /// The lines of a file of a timeline, with hidden values replaced.
  ///
  /// `Timeline(jsonLines:)` of the `ReactiveTesting` module reads them.
  func lines(of timeline: any RecordedTimeline) throws -> [String] {
    try [#"{"dropped":0}"#]
      + timeline.encodableEntries.map { try JSONTreeEncoder.tree(of: $0, redaction).line }
  }
}
