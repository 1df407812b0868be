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
    let indented = lines.map { "      " + $0.escapingHidden }.joined(separator: "\n")
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

  /// The text without line breaks and other characters that cannot be seen: they would end a comment, or
  /// change how the source is read.
  fileprivate var onOneLine: String {
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(scalar.isHidden ? " " : scalar) }
    return String(scalars)
  }

  /// JSON whose characters that cannot be seen are escaped.
  fileprivate var escapingHidden: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isHidden else { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        text += "\\u" + String(String(UInt32(unit) + 0x10000, radix: 16).suffix(4))
      }
    }
  }

  /// The text as a name between backticks, which has a letter or a digit.
  fileprivate var withoutBackticks: String {
    let text = onOneLine.filter { $0 != "`" && $0 != "\\" }
      .trimmingPrefix { $0 == " " || $0 == "$" }
    return text.contains { $0.isLetter || $0.isNumber } ? String(text) : "a recorded test"
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, or one that separates, joins or turns others without being seen.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format: true
    case .spaceSeparator: self != " "
    default: false
    }
  }
}
