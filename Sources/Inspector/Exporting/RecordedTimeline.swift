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
  /// A correction has the path of no value.
  case noValue(path: String)
  /// A correction has the value that the state has.
  case sameValue(path: String, json: String)
  /// A line of a file is not an entry.
  case malformed(line: Int)
  /// The recording is too long to be written, and could not be imported.
  case tooLong(steps: Int)
  /// The client has ended, or its time has, before the file was read.
  case notWanted

  /// The most bytes of a recording that is written or read.
  static let byteLimit = 64 << 20

  /// A sentence for the user.
  var description: String {
    switch self {
    case .notCodable(let composer):
      "The state and the actions of \(composer) must conform to Codable to be written."
    case .noSteps: "There is no step between these events."
    case .wrongState(let reason): "The corrected state is not one: \(reason)"
    case .noValue(let path):
      "The state has no value at \(path). Take the path of a change, or one of the state's JSON."
    case .sameValue(let path, let json): "\(path) is \(json) already."
    case .tooLong(let steps):
      """
      The recording has more than 64 MiB after \(steps) events. Write fewer of them: choose the first and \
      the last one.
      """
    case .notWanted: "The file was not read in time. Write a shorter recording."
    case .malformed(let line): "Line \(line) is not an entry of a recording."
    }
  }
}

extension ValueReader {
  /// The lines of a file of a timeline, with hidden values replaced.
  ///
  /// `Timeline(jsonLines:)` of the `ReactiveTesting` module reads them.
  ///
  /// - Parameter typeName: name of the composer's type, which the first entry has; nil for none
  /// - Throws: `CancellationError` when they are no longer wanted.
  func lines(
    of timeline: any RecordedTimeline, typeName: String? = nil,
    while isWanted: () -> Bool = { true }
  ) throws -> [String] {
    var lines = [#"{"dropped":0}"#]
    var room = RecordingError.byteLimit
    var lastStep: (any Encodable)?
    for entry in timeline.encodableEntries {
      guard isWanted() else { throw CancellationError() }
      var tree = try JSONTreeEncoder.tree(of: entry, redaction)
      if tree[statePath] != nil {
        if tree[drawnPath] != nil {
          let before = try lastStep.map { try valuesHidden(in: $0) } ?? [:]
          // A secret may be made of what the reducer has drawn.
          let isSecret = try valuesHidden(in: entry).contains { before[$0.key] != $0.value }
          if isSecret || tree[drawnPath] == .redacted { tree[drawnPath] = nil }
        }
        lastStep = entry
      }
      for path in Self.effectPaths where tree[path] != nil {
        tree[path] = tree[path]?.mappingStrings { redaction.hidingValues(inDescription: $0) }
      }
      if lines.count == 1, let typeName { tree[RecordedType.path] = .string(typeName) }
      let line = tree.line
      room -= line.utf8.count
      if room < 0 { throw RecordingError.tooLong(steps: lines.count - 1) }
      lines.append(line)
    }
    return lines
  }

  /// The values of an entry that its line does not have, by their places.
  private func valuesHidden(in entry: any Encodable) throws -> [String: String] {
    try JSONTreeEncoder.tree(of: entry, .none)
      .valuesHidden(in: JSONTreeEncoder.tree(of: entry, redaction))
  }

  /// The places of the ids and errors of effects in a line.
  private static let effectPaths = [["kind", "started"], ["kind", "ended"]]
}

extension JSONTree {
  /// This tree with each string replaced.
  fileprivate func mappingStrings(_ replace: (String) -> String) -> JSONTree {
    switch self {
    case .string(let string): .string(replace(string))
    case .array(let elements): .array(elements.map { $0.mappingStrings(replace) })
    case .object(let values): .object(values.mapValues { $0.mappingStrings(replace) })
    case .null, .bool, .number: self
    }
  }

  /// The values of this tree that are hidden in another one of the same value, by their places.
  fileprivate func valuesHidden(in shown: JSONTree, at place: String = "") -> [String: String] {
    switch (self, shown) {
    case (.object(let values), .object(let others)):
      var found: [String: String] = [:]
      for (name, value) in values {
        guard let other = others[name] else { continue }
        found.merge(value.valuesHidden(in: other, at: place + "/" + name)) { $1 }
      }
      return found
    case (.array(let values), .array(let others)):
      return zip(values, others).enumerated().reduce(into: [:]) { found, pair in
        let (value, other) = pair.element
        found.merge(value.valuesHidden(in: other, at: "\(place)/\(pair.offset)")) { $1 }
      }
    case (_, .redacted) where self != .redacted: return [place: line]
    default: return [:]
    }
  }
}
