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
  func matches(_ head: EventHead) -> Bool {
    if let composers, !composers.contains(head.source) { return false }
    guard (kinds ?? [.step]).contains(head.kind.filterKind) else { return false }
    guard let sources else { return true }
    guard case .step(_, let source) = head.kind else { return false }
    return sources.contains(source.filterSource)
  }

  /// The text that a row must have, in lower case; nil for all rows.
  var searchedText: String? {
    guard let text, !text.isEmpty else { return nil }
    return text.lowercased()
  }
}

extension EventHead.Kind {
  fileprivate var filterKind: EventFilter.Kind {
    switch self {
    case .step: .step
    case .started: .started
    case .ended: .ended
    case .socket(.received): .received
    case .socket(.sent): .sent
    case .socket: .socket
    }
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
