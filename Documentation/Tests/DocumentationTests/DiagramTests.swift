import DocumentationSite
import Foundation
import OperatorPages
import Testing

@Suite("Diagrams")
struct DiagramTests {
  private func page(_ name: String) throws -> OperatorPage {
    try #require(OperatorPage.all.first { $0.name == name })
  }

  @Test(arguments: [
    ("debounce", [[1, 2, 3, 9]], "c at 4.5 s, completes at 9 s"),
    ("debounce", [[1, 2, 3, 4]], "c at 4 s, completes at 4 s"),
    ("combineLatest", [[1, 2, 7], [4, 5, 6]], "2a at 4 s, 2b at 5 s, completes at 7 s"),
    ("zip", [[1, 2, 3], [4, 5, 7]], "1a at 4 s, 2b at 5 s, completes at 7 s"),
    (
      "flatMapLatest", [[1, 6, 8], [1, 4, 5]],
      "a1 at 2 s, a2 at 5 s, b1 at 7 s, b2 at 10 s, completes at 11 s"
    ),
    ("take(until:)", [[1, 3, 5, 7], [2]], "a at 1 s, completes at 2 s"),
    ("retry(_:)", [[0, 1, 2]], "a1 at 0 s, a2 at 1 s, fails at 2 s"),
  ])
  func `An operator answers to marbles that are moved`(
    name: String, seconds: [[Int]], answer: String
  ) async throws {
    let diagram = try page(name).diagram
    let answers = try await Parallel.map([seconds]) { diagram.answer(to: $0) }
    #expect(answers[0][0].sentence == answer)
  }

  /// After an intended change of an operator: UPDATE_ANSWERS=1 swift test --package-path Documentation.
  @Test func `Every diagram shows what its operator answered when it was reviewed`() async throws {
    let lines = try await Parallel.map(OperatorPage.all) { page in
      let rows = zip(page.diagram.outputs, page.diagram.drawnAnswer)
      return rows.map { "\(page.name), \($0): \($1.sentence)" }.joined(separator: "\n")
    }
    let text = lines.joined(separator: "\n") + "\n"
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Answers.txt")
    if ProcessInfo.processInfo.environment["UPDATE_ANSWERS"] != nil {
      try Data(text.utf8).write(to: file)
    }
    let reviewed = try String(contentsOf: file, encoding: .utf8)
    let changes = text.split(separator: "\n").difference(from: reviewed.split(separator: "\n"))
    #expect(changes.isEmpty, "\(changes)")
  }

  @Test func `The table of a diagram contains the answer to each arrangement`() async throws {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")
    for name in ["merge", "buffer", "window", "throttle"] {
      let diagram = try page(name).diagram
      let table = try await Parallel.map([diagram]) { AnswerTable($0) }[0]
      let answers = table.encoded.split(separator: ";", omittingEmptySubsequences: false)
      try #require(answers.count == diagram.arrangementCount)
      for (seconds, answer) in zip(diagram.arrangements, answers).filter({ _ in
        .random(in: 0..<20) == 0
      }) {
        let rows = answer.split(separator: ",", omittingEmptySubsequences: false).map { row in
          stride(from: 0, to: row.count, by: 2).map { offset -> Marble in
            let numbers = row.dropFirst(offset).prefix(2).compactMap { digits.firstIndex(of: $0) }
            let kinds = [.completed, .failed] + table.labels.map { Marble.Kind.element($0) }
            return Marble(kinds[numbers[1]], at: numbers[0])
          }
        }
        #expect(rows == diagram.answer(to: seconds), "\(name) \(seconds)")
      }
    }
  }

  @Test(arguments: OperatorPage.all.map(\.name))
  func `A diagram has few enough arrangements for a small page`(name: String) throws {
    let diagram = try page(name).diagram
    #expect(diagram.arrangementCount <= 3_200)
    #expect(diagram.arrangements.contains(diagram.drawnSeconds))
  }
}
