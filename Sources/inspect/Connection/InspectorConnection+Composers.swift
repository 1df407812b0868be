extension InspectorConnection {
  /// The composers of the program.
  func composers() async throws -> [ComposerInfo] {
    try await self(Requests.Composers()).composers
  }

  /// The composer with this number or name.
  func composer(_ text: String) async throws -> ComposerInfo {
    try ComposerSelector.one(text, in: try await composers())
  }
}

/// Finds composers by their number, their name or its beginning.
enum ComposerSelector {
  /// The composer that `text` means; of several with the name, the one that exists.
  static func one(_ text: String, in composers: [ComposerInfo]) throws(InspectError) -> ComposerInfo
  {
    let found = try all(text, in: composers)
    let live = found.filter(\.isLive)
    let candidates = live.isEmpty ? found : live
    guard candidates.count == 1 else {
      throw .ambiguousComposer(text, numbers: candidates.map(\.composer))
    }
    return candidates[0]
  }

  /// All composers that `text` means; at least one.
  static func all(_ text: String, in composers: [ComposerInfo]) throws(InspectError)
    -> [ComposerInfo]
  {
    let wanted = text.lowercased()
    let conditions: [(ComposerInfo) -> Bool] = [
      { "\($0.composer)" == text }, { $0.name == text }, { $0.name.lowercased() == wanted },
      { $0.type.lowercased() == wanted },
      // `Search` for a SearchComposer.
      { !wanted.isEmpty && $0.name.lowercased().hasPrefix(wanted) },
    ]
    for condition in conditions {
      let found = composers.filter(condition)
      if !found.isEmpty { return found }
    }
    var known: [String] = []
    for composer in composers where !known.contains(composer.name) { known.append(composer.name) }
    throw .unknownComposer(text, known: Array(known.prefix(20)))
  }
}
