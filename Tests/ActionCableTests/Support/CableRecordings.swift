import Foundation
import ActionCable

/// Recordings of a Rails server and of the official client in `Tests/Fixtures/actioncable`.
enum CableRecordings {
  /// One scenario of the official JavaScript client in virtual time.
  struct Scenario: Decodable {
    struct Step: Decodable {
      let t: Double
      let what: String
      let n: Int?
      let frame: JSONValue?
      let arg: JSONValue?
      let returned: Bool?
    }

    let id: String
    let random: Double
    let trace: [Step]
  }

  /// One conversation with a Rails server.
  struct Exchange: Decodable {
    struct Frame: Decodable {
      let dir: String
      let op: String
      let text: String?
    }

    struct Response: Decodable {
      let status: Int
      let headers: [[String]]
    }

    let id: String
    let frames: [Frame]
    let response: Response?

    /// The text messages, without pings, whose times vary, and without abbreviated messages.
    var texts: [(isFromServer: Bool, text: String)] {
      frames.compactMap { frame in
        guard frame.op == "text", let text = frame.text, !text.contains(#""type":"ping","#),
          !text.hasSuffix(" bytes)")
        else { return nil }
        return (frame.dir == "in", text)
      }
    }
  }

  static func scenario(_ id: String, random: Double = 0) throws -> Scenario {
    let all: [Scenario] = try lines("js-client-trace.jsonl")
    guard let scenario = all.first(where: { $0.id == id && $0.random == random }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return scenario
  }

  static func exchanges(rails version: String) throws -> [Exchange] {
    try lines("transcript-rails\(version).jsonl")
  }

  private static func lines<Line: Decodable>(_ name: String) throws -> [Line] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: tests.appending(path: "Fixtures/actioncable/\(name)"),
      encoding: .utf8
    )
    let decoder = JSONDecoder()
    return try text.split(separator: "\n")
      .map { try decoder.decode(Line.self, from: Data($0.utf8)) }
  }
}
