import Sockets
import TestSupport
import Testing

@Suite("JSONNesting", .workerPool)
struct JSONNestingTests {
  @Test(arguments: [
    ("", true), ("1", true), ("[]", true), ("[[]]", true), ("[[],[[]]]", false),
    (#"{"a":[{}]}"#, false),
    (#"["[[[["]"#, true), (#"["\"[[[["]"#, true), (#"["\\",[[]]]"#, false), ("]]][[", true),
  ])
  func `a text has at most two levels`(_ text: String, _ isShallow: Bool) throws {
    #expect(try JSONNesting.isAtMost(2, in: text.utf8) == isShallow)
  }

  @Test func `a zero byte is an error`() {
    #expect(throws: DecodingError.self) { try JSONNesting.isAtMost(2, in: "[\u{0}]".utf8) }
  }
}
