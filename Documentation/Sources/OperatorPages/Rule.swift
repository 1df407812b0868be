/// A sentence about an operator, in which backticks mark code.
package struct Rule: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  package let text: String

  package init(_ text: String) { self.text = text }

  package init(stringLiteral value: String) { text = value }
}

// MARK: - Ends

extension Rule {
  static let withSource: Rule = "When the source completes."
  static let withAllSources: Rule = "When all sources have completed."
  static let withAllInner: Rule = "When the source and every inner observable have completed."
  static let never: Rule = "Never."
}

// MARK: - Failures

extension Rule {
  static let sourceFails: Rule = "When the source fails."
  static let sourceOrClosureFails: Rule =
    "When the source fails, or with the error that the closure throws; that disposes of the source."
  static let anySourceFails: Rule =
    "With the first error of a source; the other sources are disposed of."
  static let anyInnerFails: Rule =
    """
    With the first error of the source, of an inner observable or of the closure; everything that runs is \
    disposed of.
    """
  static let cannotFail: Rule = "It cannot fail."
}

// MARK: - Threads

extension Rule {
  static let onSource: Rule = "Delivers on the thread that the source delivers on."
  static let throughGate: Rule =
    """
    Delivers on the threads of its sources, one element at a time: the thread inside also delivers what other \
    threads send meanwhile.
    """
  static let onScheduler: Rule = "Delivers on the scheduler."
  static let onSubscriber: Rule = "Delivers within the call that subscribes."
  static let inTurns: Rule =
    """
    Delivers on the thread that subscribes, in turns with the other sources of the subscription; on the \
    scheduler, if one is given.
    """
  static let onMain: Rule = "Delivers on the main queue."
}

// MARK: - Memory

extension Rule {
  static let nothing: Rule = "Holds nothing."
  static let count: Rule = "Holds a count."
  static let timer: Rule = "Holds a timer."
}
