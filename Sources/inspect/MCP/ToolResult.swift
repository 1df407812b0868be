/// The result of a call: a text, and values for a client that reads them.
///
/// Values whose JSON is longer than ``limit`` are left out.
struct ToolResult: Equatable, Sendable {
  let text: String
  var structured: JSONValue?
  var isError = false

  /// The most characters of a text and bytes of the values' JSON, and the most characters of one line.
  static let limit = 16_000
  static let lineLimit = 1_000

  init(_ text: String, structured: JSONValue? = nil) {
    (self.text, self.structured) = (text, structured)
  }

  /// Lines up to the limit, then how many were cut.
  ///
  /// - Parameter advice: what to ask for instead when lines are cut
  init(_ lines: [String], structured: JSONValue? = nil, whenCut advice: String) {
    var kept: [String] = []
    var length = 0
    for line in lines {
      let line = line.cut(to: Self.lineLimit)
      length += line.count + 1
      if length > Self.limit { break }
      kept.append(line)
    }
    if kept.count < lines.count {
      kept.append(
        "… \(Figures.count(lines.count - kept.count, "line")) of \(Figures.count(lines.count)) cut. \(advice)"
      )
    }
    self.init(kept.joined(separator: "\n"), structured: structured)
  }

  static func failure(_ problem: String) -> ToolResult {
    var result = ToolResult(problem)
    result.isError = true
    return result
  }

  /// The result of `tools/call`.
  var json: JSONValue {
    var json: [String: JSONValue] = [
      "content": [["type": "text", "text": .string(text)]], "isError": .bool(isError),
    ]
    // The host hands it to the model too.
    if let structured, structured.json.utf8.count <= Self.limit {
      json["structuredContent"] = structured
    }
    return .object(json)
  }
}
