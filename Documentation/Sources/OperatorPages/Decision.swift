/// A question whose answers lead to an operator.
package struct Decision: Sendable {
  /// An answer, and where it leads.
  package struct Answer: Sendable {
    /// Where an answer leads.
    package enum Next: Sendable {
      case question(Decision)
      /// The page of an operator, by its name.
      case page(String)
    }

    package let text: String
    package let next: Next
  }

  package let question: String
  package let answers: [Answer]

  package init(_ question: String, _ answers: [Answer]) {
    self.question = question
    self.answers = answers
  }

  /// The names of the pages that the answers lead to.
  package var pages: [String] {
    answers.flatMap { answer in
      switch answer.next {
      case .page(let name): [name]
      case .question(let next): next.pages
      }
    }
  }
}

extension Decision.Answer {
  /// An answer that leads to an operator.
  static func use(_ name: String, _ text: String) -> Decision.Answer {
    Decision.Answer(text: text, next: .page(name))
  }

  /// An answer that leads to another question.
  static func ask(
    _ text: String, _ question: String, _ answers: [Decision.Answer]
  ) -> Decision.Answer {
    Decision.Answer(text: text, next: .question(Decision(question, answers)))
  }
}
