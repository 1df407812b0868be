import Foundation

/// Shows a recording, which `export` has printed, as a composer that is not live.
struct ImportCommand: Equatable, Sendable {
  /// The path of the file, whose name is that of the composer.
  var file: String

  /// The most bytes of a file.
  private static let limit = 64 << 20

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let data = try ExportCommand.contents(of: file)
    guard data.count <= Self.limit else {
      throw InspectError.invalid("\(file) is longer than \(Figures.count(Self.limit)) bytes")
    }
    let name = URL(fileURLWithPath: file).lastPathComponent
    let answer = try await HTTPPost.send(
      data, to: program.address, path: "import?\(name.percentEncoded)")
    guard answer.status == 200,
      let reply = try? JSONDecoder().decode(CreatedComposer.self, from: Data(answer.body.utf8))
    else {
      let problem = answer.body.trimmingCharacters(in: .whitespacesAndNewlines)
      throw InspectError.invalid(problem.isEmpty ? "refused with \(answer.status)" : problem)
    }
    if output.isJSON { return try output.json(reply) }
    output.line("composer \(reply.composer), the recording \(name)")
  }
}

extension String {
  /// The text as part of a URL: all but ASCII letters, digits and some marks are escaped.
  fileprivate var percentEncoded: String {
    utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    .joined()
  }
}
