/// The events that a list has.
struct EventFilter: Decodable, Sendable, Equatable {
  enum Kind: String, Decodable, Hashable, Sendable {
    case step, started, ended, received, sent, socket
  }

  enum Source: String, Decodable, Hashable, Sendable { case outside, step, effect, shared }

  var composers: Set<Int>?
  var kinds: Set<Kind>?
  var sources: Set<Source>?
  var text: String?

  /// Whether an event matches all but the text.
  func matches(_ event: LoggedEvent) -> Bool {
    if let composers, !composers.contains(event.source.number) { return false }
    guard kinds?.contains(event.kind) ?? (event.kind == .step) else { return false }
    guard let sources else { return true }
    guard let step = event.event.step else { return false }
    return sources.contains(step.source.filterSource)
  }

  /// The text that a row must have, in lower case; nil for all rows.
  var searchedText: String? {
    guard let text, !text.isEmpty else { return nil }
    return text.lowercased()
  }
}

extension ActionSource {
  fileprivate var filterSource: EventFilter.Source {
    switch self {
    case .outside: .outside
    case .step: .step
    case .effect: .effect
    case .shared: .shared
    }
  }
}
