import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite(.workerPool)
struct AnyJSONTests {
  private func parse(_ text: String) throws -> AnyJSON {
    try AnyJSON(parsing: text)
  }

  @Test func `each kind of JSON is decoded to its own case`() throws {
    let text = #"{"a": null, "b": [true, false], "c": 1.5, "d": "é\n", "e": {}, "f": -7}"#
    #expect(
      try parse(text)
        == .object([
          "a": .null, "b": .array([.bool(true), .bool(false)]), "c": .number(1.5),
          "d": .string("é\n"), "e": .object([:]), "f": .integer(-7),
        ]))
  }

  @Test func `integers of 64 bits keep all their digits`() throws {
    let texts = [
      "0", "9007199254740993", "-9223372036854775808", "9223372036854775807",
      "9223372036854775808", "18446744073709551615",
    ]
    for text in texts {
      let value = try parse(text)
      #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
    }
    #expect(try parse("9223372036854775807") == .integer(.max))
    #expect(try parse("9223372036854775808") == .unsigned(9_223_372_036_854_775_808))
    #expect(try parse("18446744073709551616") == .number(18_446_744_073_709_551_616))
  }

  @Test func `a value survives being encoded and decoded`() throws {
    let value = AnyJSON.object([
      "": .array([.null, .bool(true), .integer(.min), .unsigned(.max), .number(-0.25)]),
      "\u{0}\"\\": .string("\u{1F600}\u{0}</script>"), "nested": .object(["a": .array([])]),
    ])
    #expect(try JSONDecoder().decode(AnyJSON.self, from: JSONEncoder().encode(value)) == value)
  }

  @Test func `a text of as many levels as allowed is decoded, one more is an error`() throws {
    func lists(_ count: Int) -> String {
      String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    func objects(_ count: Int) -> String {
      String(repeating: #"{"a":"#, count: count) + "1" + String(repeating: "}", count: count)
    }
    let limit = AnyJSON.deepestLevel
    for text in [lists(limit), objects(limit)] {
      _ = try parse(text)
    }
    for text in [lists(limit + 1), objects(limit + 1), lists(512), objects(512)] {
      #expect(throws: AnyJSON.TooDeep(limit: limit)) { try parse(text) }
    }
  }

  @Test(arguments: [65, 512, 513, 514, 1_000_000])
  func `a text that ends in deep nesting is an error`(levels: Int) {
    let texts = [
      String(repeating: "[", count: levels), String(repeating: #"{"a":"#, count: levels),
      String(repeating: #"{"a":"#, count: levels - 1) + "{",
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels),
    ]
    for text in texts {
      #expect(throws: AnyJSON.TooDeep(limit: AnyJSON.deepestLevel)) { try parse(text) }
    }
  }

  @Test func `brackets in strings are no levels`() throws {
    let brackets = String(repeating: "[", count: 1000)
    #expect(try parse("[\"\(brackets)\"]") == .array([.string(brackets)]))
    #expect(try parse(#"["\#\"\#(brackets)\\"]"#) == .array([.string("\"\(brackets)\\")]))
    #expect(throws: AnyJSON.TooDeep.self) { try parse(#"["\\"\#(brackets)"#) }
  }

  @Test func `a text is not taken for UTF-16`() {
    #expect(throws: DecodingError.self) { try parse("[\u{0}1\u{0}]\u{0}") }
    #expect(throws: DecodingError.self) { try parse("\u{0}[\u{0}]") }
  }

  @Test func `a message that holds a deep value is an error when it is decoded by another type`() {
    let levels = AnyJSON.deepestLevel - 1
    let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    func decode(_ text: String) throws -> [String: AnyJSON] {
      try JSONDecoder().decode([String: AnyJSON].self, from: Data("{\"a\":\(text)}".utf8))
    }
    #expect(throws: Never.self) { try decode(text) }
    #expect(throws: AnyJSON.TooDeep.self) { try decode("[\(text)]") }
  }

  @Test(arguments: [
    "", " ", "nul", "nan", "Infinity", "1e999", "-1e999", "01", "1.", "--1", #""\ud800""#,
    "\"\u{0}\"", "{", "[1,", "[1,]extra", #"{"a"}"#, "{1:2}", "\"\\x\"", "]",
  ])
  func `malformed JSON and values without a Swift value are errors`(text: String) {
    #expect(throws: (any Error).self) { try parse(text) }
  }

  @Test func `a wide text is decoded completely`() throws {
    let text = "[" + String(repeating: "{},", count: 20_000) + "0]"
    guard case .array(let values) = try parse(text) else {
      Issue.record("no list")
      return
    }
    #expect(values.count == 20_001)
    #expect(values.last == .integer(0))
  }
}
