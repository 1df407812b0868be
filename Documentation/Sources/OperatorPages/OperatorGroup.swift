/// A group of operators, in the order of the site.
package enum OperatorGroup: String, CaseIterable, Sendable {
  case creating, transforming, flattening, filtering, combining, recovering, timing, sharing
  case subscribing, converting, subjects

  /// The heading of the group.
  package var title: String {
    switch self {
    case .creating: "Creating"
    case .transforming: "Transforming"
    case .flattening: "Observables of observables"
    case .filtering: "Filtering"
    case .combining: "Combining"
    case .recovering: "Recovering from errors"
    case .timing: "Time and threads"
    case .sharing: "Sharing"
    case .subscribing: "Subscribing"
    case .converting: "Converting"
    case .subjects: "Subjects and relays"
    }
  }

  /// What the operators of the group do.
  package var summary: String {
    switch self {
    case .creating: "Sources of values, closures, timers and async code."
    case .transforming: "Each element becomes another element, or elements become one."
    case .flattening: "Each element becomes an observable of its own."
    case .filtering: "Some elements pass, or pass for some time."
    case .combining: "Several sources become one."
    case .recovering: "An error is replaced, or the source begins again."
    case .timing: "When and on which thread elements arrive."
    case .sharing: "Several observers share one run of the source."
    case .subscribing: "The end of a chain, and what looks into it."
    case .converting: "Observables with promises, and back."
    case .subjects: "Sources to which code sends elements."
    }
  }

  /// The guide of the group, an article of the module's documentation.
  package var guide: String {
    switch self {
    case .creating, .subjects: "Creating"
    case .transforming, .flattening: "Transforming"
    case .filtering: "Filtering"
    case .combining: "Combining"
    case .recovering: "Recovering"
    case .timing: "Timing"
    case .sharing: "Sharing"
    case .subscribing: "Contract"
    case .converting: "Traits"
    }
  }

  /// The pages of the group.
  package var pages: [OperatorPage] {
    switch self {
    case .creating: OperatorPage.creating
    case .transforming: OperatorPage.transforming
    case .flattening: OperatorPage.flattening
    case .filtering: OperatorPage.filtering
    case .combining: OperatorPage.combining
    case .recovering: OperatorPage.recovering
    case .timing: OperatorPage.timing
    case .sharing: OperatorPage.sharing
    case .subscribing: OperatorPage.subscribing
    case .converting: OperatorPage.converting
    case .subjects: OperatorPage.subjects
    }
  }
}
