/// A composer or a socket, which has events.
protocol EventSource: Sendable {
  /// `composer`.
  static var noun: String { get }
  var number: Int { get }
  var name: String { get }
  var isLive: Bool { get }
  /// How well a text of the user names it: the lower the better, nil for not at all.
  func rank(of text: String) -> Int?
}

extension ComposerInfo: EventSource {
  static let noun = "composer"
  var number: Int { composer }

  func rank(of text: String) -> Int? {
    if "\(composer)" == text { return 0 }
    if name == text { return 1 }
    let wanted = text.lowercased()
    if name.lowercased() == wanted { return 2 }
    if wanted.isEmpty { return nil }
    if type.lowercased() == wanted { return 3 }
    // `Search` for a SearchComposer.
    return name.lowercased().hasPrefix(wanted) ? 4 : nil
  }
}

extension SocketInfo: EventSource {
  static let noun = "socket"
  var number: Int { socket }

  func rank(of text: String) -> Int? {
    if "\(socket)" == text { return 0 }
    if name == text { return 1 }
    let wanted = text.lowercased()
    if name.lowercased() == wanted { return 2 }
    // `feed` for ws://example.com/feed. A number is never a part of a port.
    let isPart = !wanted.isEmpty && Int(wanted) == nil && name.lowercased().contains(wanted)
    return isPart ? 5 : nil
  }
}

/// Finds composers and sockets by their number, their name or a part of it.
enum SourceSelector {
  /// The source that `text` means; of several with the name, the one that exists.
  static func one<Source: EventSource>(_ text: String, in sources: [Source]) throws(InspectError)
    -> Source
  {
    let found = try all(text, in: sources)
    let live = found.filter(\.isLive)
    let candidates = live.isEmpty ? found : live
    guard candidates.count == 1 else {
      throw .ambiguous(Source.noun, text, numbers: candidates.map(\.number))
    }
    return candidates[0]
  }

  /// All sources that `text` means; at least one.
  static func all<Source: EventSource>(_ text: String, in sources: [Source]) throws(InspectError)
    -> [Source]
  {
    try positions(text, in: sources, Source.noun).map { sources[$0] }
  }

  /// The numbers of the composers and sockets that `text` means; at least one.
  static func numbers(_ text: String, _ composers: [ComposerInfo], _ sockets: [SocketInfo])
    throws(InspectError) -> [Int]
  {
    let sources: [any EventSource] = composers + sockets
    return try positions(text, in: sources, "composer or socket").map { sources[$0].number }
  }

  private static func positions(_ text: String, in sources: [any EventSource], _ noun: String)
    throws(InspectError) -> [Int]
  {
    let ranks = sources.map { $0.rank(of: text) }
    guard let best = ranks.compactMap({ $0 }).min() else {
      var known: [String] = []
      for source in sources where !known.contains(source.name) { known.append(source.name) }
      throw .unknown(noun, text, known: Array(known.prefix(20)))
    }
    return sources.indices.filter { ranks[$0] == best }
  }
}
