import Inspector
import TestSupport
import Testing

@testable import inspect

@Suite("The columns of inspect", .workerPool)
struct InspectTerminalColumnsTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("grüße", 5), ("e\u{301}", 1), ("日本", 4), ("👩‍👩‍👧", 2), ("☺\u{FE0F}", 2),
    ("…→", 2),
  ])
  func `wide characters take two columns, marks none`(_ text: String, _ columns: Int) {
    #expect(text.columns == columns)
  }

  @Test func `a row is cut to the columns of the terminal, with its styles`() {
    let row = StyledText("abc", .bold) + StyledText("日本def", .green)
    #expect(row.cut(toColumns: 10) == row)
    #expect(row.cut(toColumns: 9).text == "abc日本d…")
    #expect(row.cut(toColumns: 5).text == "abc…")
    #expect(row.cut(toColumns: 3).text == "ab…")
    #expect(row.cut(toColumns: 0) == row)
    #expect(
      row.cut(toColumns: 6).escaped
        == "\u{1B}[1mabc\u{1B}[0m\u{1B}[38;5;35m日\u{1B}[0m\u{1B}[38;5;245m…\u{1B}[0m")
  }

  @Test func `only rows are cut, and only for a terminal`() {
    let written = Locked<[String]>([])
    var output = Output(write: { line in written.withLock { $0.append(line) } }, note: { _ in })
    let line = StyledText("0123456789")
    output.row(line)
    output.text("a\u{9B}b\nc")
    output.columns = { 6 }
    output.row(line)
    output.line(line)
    output.text("a\u{9B}b\nc")
    #expect(
      written.withLock { $0 } == [
        "0123456789", "a\u{9B}b\nc", "01234…", "0123456789", "a\\u{9B}b", "c",
      ])
  }
}
