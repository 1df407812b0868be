/// The requests about recordings.
extension Requests {
  enum ExportFormat: String, Encodable, Sendable { case jsonLines, swiftTest }

  struct Export: InspectorRequest {
    typealias Reply = ExportedText
    static let method = "export"
    let composer: Int
    var format = ExportFormat.jsonLines
    var from: Int?
    var to: Int?
    /// The name of the test.
    var name: String?
    /// The expression that creates the composer of the test.
    var make: String?
    /// The corrected state after the last step of the test.
    var expected: JSONValue?
    /// The right values of parts of that state.
    var set: [Correction]?
  }

  struct Fork: InspectorRequest {
    typealias Reply = CreatedComposer
    static let method = "fork"
    let composer: Int
    let event: Int
  }

  struct EndFork: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "endFork"
    let composer: Int
  }

  struct Compare: InspectorRequest {
    typealias Reply = Comparison
    static let method = "compare"
    let composers: [Int]
    /// The kinds of source of the steps that are compared; nil for all steps.
    var sources: [String]?
  }
}
