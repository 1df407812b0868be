import Inspector
import TestSupport
import Testing

@testable import inspect

@Suite("The input of inspect", .workerPool)
struct InspectLineSplitterTests {
  private func lines(_ text: String, limit: Int, piece: Int) -> [LineSplitter.Line] {
    var splitter = LineSplitter(limit: limit)
    var rest = Array(text.utf8)[...]
    var lines: [LineSplitter.Line] = []
    while !rest.isEmpty {
      lines += splitter.receive(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    return lines + [splitter.end()].compactMap(\.self)
  }

  @Test func `lines are the same in pieces of any size`() {
    let text = "one\n\ntwo é\nlonger than it\nthree"
    for piece in 1...text.utf8.count {
      #expect(
        lines(text, limit: 8, piece: piece) == [
          .text("one"), .text(""), .text("two é"), .tooLong, .text("three"),
        ])
    }
  }

  @Test func `a line of the limit is a line, and the input may end in a longer one`() {
    #expect(lines("12345678\n", limit: 8, piece: 3) == [.text("12345678")])
    #expect(lines("12345678", limit: 8, piece: 3) == [.text("12345678")])
    #expect(lines("123456789", limit: 8, piece: 3) == [.tooLong])
    #expect(lines("", limit: 8, piece: 1).isEmpty)
  }

  @Test func `a line of more than 4 MiB is an error, and the next one is answered`() async throws {
    let program = ProgramLink(try InspectorAddress("http://127.0.0.1:1/abc/"))
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let input = Locked([piece, piece, piece, piece, piece, Array("\n\(ping)\n".utf8)])
    let answers = Locked<[String]>([])
    await MCPServer(program: program).serve(
      { input.withLock { $0.isEmpty ? [] : $0.removeFirst() } },
      { answer in answers.withLock { $0.append(answer) } })
    let values = try answers.withLock { $0 }.map { try JSONValue(json: $0) }
    #expect(values.count == 2)
    #expect(values.first?["id"] == .null)
    #expect(
      values.first?["error"]
        == ["code": -32600, "message": "The message is longer than 4,194,304 bytes."])
    #expect(values.last == ["jsonrpc": "2.0", "id": 1, "result": [:]])
  }
}
