/// The names of composers, and the width of their column.
struct ComposerNames: Equatable, Sendable {
  private let names: [Int: String]
  let width: Int

  init(_ composers: [ComposerInfo]) {
    // Composers with the same name are told apart by their numbers.
    let byName = Dictionary(grouping: composers, by: \.name)
    names = Dictionary(
      composers.map { composer in
        let isUnique = byName[composer.name]?.count == 1
        let name = composer.name.visible
        return (composer.composer, isUnique ? name : "\(name)#\(composer.composer)")
      }, uniquingKeysWith: { $1 })
    width = min(24, names.values.map(\.count).max() ?? 0)
  }

  func knows(_ composer: Int) -> Bool { names[composer] != nil }

  /// The name of a composer, `composer 7` when it is not known.
  subscript(composer: Int) -> String { names[composer] ?? "composer \(composer)" }
}
