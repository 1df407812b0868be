import Foundation

/// The stored figures of gates, which repeat exactly: `Thresholds.json`.
struct Thresholds: Codable {
  /// The kind of a stored figure, for one operation.
  enum Figure: String, Codable, CodingKeyRepresentable {
    case allocations
    /// The peak of the allocated bytes.
    case live
    /// Instructions, as callgrind counts them.
    case instructions
  }

  /// The compiler and processor of the figures; figures of others are not judged.
  var swift: String
  var architecture: String
  var figures: [String: [Figure: Double]] = [:]

  /// The allowed excess over a stored figure.
  static let band = 0.05

  @MainActor static let stored = read() ?? here

  /// None, for this compiler and processor.
  @MainActor static var here: Thresholds {
    Thresholds(swift: Machine.current.swift, architecture: Machine.architecture)
  }

  /// Whether this compiler and processor made them.
  @MainActor var isOfHere: Bool {
    (swift, architecture) == (Machine.current.swift, Machine.architecture)
  }

  /// Beside the package's manifest.
  private static let file = URL(filePath: #filePath).appending(path: "../../../../Thresholds.json")
    .standardized

  private static func read() -> Thresholds? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    return try? JSONDecoder().decode(Thresholds.self, from: data)
  }

  func write() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: Self.file)
  }

  /// Compares `figure` with what is stored.
  @MainActor
  func finding(_ kind: Figure, _ figure: Double, of workload: String) -> Gate.Finding {
    guard let stored = figures[workload]?[kind] else {
      return ("\(kind) as stored", "\(figure.significant(5)); nothing is stored", nil)
    }
    let target = "at most 5 % over the stored \(stored.significant(5)) \(kind)"
    guard isOfHere else {
      return ("\(target) of Swift \(swift), \(architecture)", figure.significant(5), nil)
    }
    let isLess = figure < stored * (1 - Self.band)
    let words = figure.significant(5) + (isLess ? ", less: store it" : "")
    // The cost of a batch is not part of an operation.
    return (target, words, figure <= stored * (1 + Self.band) + 0.01)
  }
}
