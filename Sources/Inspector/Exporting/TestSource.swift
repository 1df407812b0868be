/// A test in Swift that replays recorded actions and expects the recorded states.
struct TestSource {
  /// The name of the test, a sentence.
  let name: String
  /// The name of the composer's type, with that of its module; nil for one that is not known.
  let typeName: String?
  /// The expression that creates the composer; nil for one without arguments.
  let maker: String?
  /// The lines of the recording.
  let lines: [String]
  /// What happened, one line a step.
  let steps: [String]
  /// Whether the state after the last step was corrected.
  let isCorrected: Bool

  /// The source file.
  var text: String {
    let parts = (typeName ?? "").split(separator: ".", maxSplits: 1).map(String.init)
    let type = parts.last ?? madeType ?? "YourComposer"
    let marks = String(repeating: "#", count: markCount)
    let indented = lines.map { "      " + $0 }.joined(separator: "\n")
    let comments = steps.map { ("  // " + $0.onOneLine).cut(to: Self.columns) }
      .joined(separator: "\n")
    let missing = [
      parts.count > 1 ? nil : "YourModule by the module of the composer",
      type == "YourComposer" ? "YourComposer by its type" : nil,
    ].compactMap(\.self)
    let error =
      missing.isEmpty
      ? ""
      : """
      #error("The recording does not have this: replace \(missing.joined(separator: ", and ")). Then remove this line.")

      """
    let expectation =
      isCorrected
      ? "// The state after the last step is the corrected one: this fails until the reducer returns it."
      : "// The reducer still returns the recorded states."
    return """
      import ReactiveTesting
      import Testing

      @testable import \(parts.count > 1 ? parts[0] : "YourModule")

      \(error)@Test func `\(name.withoutBackticks)`() throws {
      \(comments)
        let recording = try Timeline<\(type).State, \(type).Action>(
          jsonLines: \(marks)\"""
      \(indented)
            \"""\(marks))
        \(expectation)
        #expect(recording.replay(into: \(maker ?? "\(type)()")).difference(from: recording) == nil)
      }

      """
  }

  /// The most columns of a comment.
  private static let columns = 100

  /// The name of the type in the expression that creates the composer: `App` of `App(a: 1)`.
  private var madeType: String? {
    guard let name = maker?.prefix(while: { $0 != "(" }), !name.isEmpty,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
    else { return nil }
    return String(name)
  }

  /// The number of number signs around a literal that nothing in the lines ends or interpolates.
  private var markCount: Int {
    var longest = 0
    for line in lines {
      var run = 0
      for byte in line.utf8 {
        run = byte == UInt8(ascii: "#") ? run + 1 : 0
        longest = max(longest, run)
      }
    }
    return longest + 1
  }
}

extension String {
  /// The text with at most `limit` characters, of which the last one stands for what is cut.
  func cut(to limit: Int) -> String {
    index(startIndex, offsetBy: limit, limitedBy: endIndex) == nil || count == limit
      ? self : prefix(limit - 1) + "…"
  }

  /// The text without line breaks and other control characters, which would end a comment.
  fileprivate var onOneLine: String {
    String(
      unicodeScalars.map { scalar -> Character in
        let isBreak =
          scalar.properties.generalCategory == .control
          || scalar.properties.generalCategory == .lineSeparator
          || scalar.properties.generalCategory == .paragraphSeparator
        return isBreak ? " " : Character(scalar)
      })
  }

  /// The text as a name between backticks.
  fileprivate var withoutBackticks: String {
    let text = onOneLine.filter { $0 != "`" && $0 != "\\" }
      .trimmingPrefix { $0 == " " }
    return text.isEmpty ? "a recorded test" : String(text)
  }
}
