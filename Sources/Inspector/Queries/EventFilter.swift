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
    guard kinds?.contains(event.kind) ?? (event.kind == .step) else { return false }
    if let sources {
      guard let source = event.stepSource, sources.contains(source) else { return false }
    }
    return composers?.contains(event.source.number) ?? true
  }

  /// The text that a row must have, in lower case; nil for all rows.
  var searchedText: String? {
    guard let text, !text.isEmpty else { return nil }
    return text.lowercased()
  }
}

extension ActionSource {
  /// The kind as clients ask for it.
  var kind: EventFilter.Source {
    switch self {
    case .outside: .outside
    case .step: .step
    case .effect: .effect
    case .shared: .shared
    }
  }
}
