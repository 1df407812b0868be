import OperatorPages

/// The answers of a diagram's operator to all arrangements of the marbles, for the script of the page.
package struct AnswerTable: Sendable {
  /// The texts of the elements in the answers.
  package let labels: [String]
  /// The rows of the answer to each arrangement, in the order of ``Diagram/arrangements``.
  package let answers: [[[Marble]]]

  /// Runs the operator once for each arrangement.
  package init(_ diagram: Diagram) {
    answers = diagram.arrangements.map { diagram.answer(to: $0) }
    var labels: [String] = []
    var known: Set<String> = []
    for answer in answers {
      for marble in answer.joined() {
        if case .element(let text) = marble.kind, known.insert(text).inserted {
          labels.append(text)
        }
      }
    }
    self.labels = labels
  }

  /// The largest number of events at one time, for each row of the answer.
  package var heights: [Int] {
    answers.reduce(into: []) { heights, answer in
      if heights.isEmpty { heights = answer.map { _ in 1 } }
      for (row, marbles) in answer.enumerated() {
        heights[row] = max(heights[row], Stack.depths(of: marbles).max().map { $0 + 1 } ?? 1)
      }
    }
  }

  /// The answers as text: two characters for an event, `,` between rows, `;` between answers.
  ///
  /// The first character is the tick, the second one the number of the label, after those of the
  /// completion and the error.
  package var encoded: String {
    let numbers = Dictionary(uniqueKeysWithValues: zip(labels, 2...))
    return answers.map { answer in
      answer.map { row in
        row.map { Self.digit($0.tick) + Self.digit(Self.number($0.kind, numbers)) }.joined()
      }.joined(separator: ",")
    }.joined(separator: ";")
  }

  private static func number(_ kind: Marble.Kind, _ labels: [String: Int]) -> Int {
    switch kind {
    case .completed: 0
    case .failed: 1
    case .element(let text): labels[text] ?? 0
    case .subscribed, .disposed: preconditionFailure("An answer has no event of an observer.")
    }
  }

  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")

  private static func digit(_ number: Int) -> String {
    precondition(number < digits.count, "\(number): a table has at most \(digits.count) of a kind.")
    return String(digits[number])
  }
}

/// Events of one row at the same time, which are drawn above each other.
enum Stack {
  /// The number of earlier elements at the same time, for each event.
  static func depths(of marbles: [Marble]) -> [Int] {
    var counts: [Int: Int] = [:]
    return marbles.map { marble in
      guard case .element = marble.kind else { return 0 }
      defer { counts[marble.tick, default: 0] += 1 }
      return counts[marble.tick, default: 0]
    }
  }
}
