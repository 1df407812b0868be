import Foundation

/// Prints a recording of a composer, or a test of it.
struct ExportCommand: Equatable, Sendable {
  /// What a test needs besides the recording.
  struct Test: Equatable, Sendable {
    var name: String?
    /// The expression that creates the composer.
    var make: String?
    /// The path of a file with the corrected last state as JSON.
    var expected: String?
    /// The corrections of the last state.
    var corrections: [Correction] = []
  }

  var composer: String
  /// The first and the last event; nil for all.
  var from: Int?
  var to: Int?
  /// Nil for JSON lines.
  var test: Test?

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    let corrections = test?.corrections ?? []
    let reply = try await program(
      Requests.Export(
        composer: found.composer, format: test == nil ? .jsonLines : .swiftTest, from: from,
        to: to, name: test?.name, make: test?.make, expected: try expectedState(),
        set: corrections.isEmpty ? nil : corrections))
    if output.isJSON { return try output.json(reply) }
    output.text(reply.text.hasSuffix("\n") ? String(reply.text.dropLast()) : reply.text)
  }

  /// The corrected last state; nil for the recorded one.
  private func expectedState() throws -> JSONValue? {
    try test?.expected.map { path in
      let data = try Self.contents(of: path)
      do {
        return try JSONValue(json: String(decoding: data, as: UTF8.self))
      } catch {
        throw InspectError.invalid("\(path) is not JSON")
      }
    }
  }

  /// The contents of a file.
  ///
  /// - Throws: ``InspectError/invalid(_:)``.
  static func contents(of path: String) throws(InspectError) -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw .invalid("\(path) cannot be read: \(error.localizedDescription)")
    }
  }
}
