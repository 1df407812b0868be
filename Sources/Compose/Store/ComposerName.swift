/// The name of a composer, which few composers ever need.
@usableFromInline final class ComposerName: Sendable {
  let text: String

  @usableFromInline init(_ text: String) { self.text = text }

  // How many composers of a type were named.
  private static let counts = Locked<[ObjectIdentifier: Int]>([:])

  /// The name of the next composer of a type: `Room`, `Room 2`.
  init(nextOf type: any Composer.Type) {
    let number = Self.counts.withLock { counts in
      counts[ObjectIdentifier(type), default: 0] += 1
      return counts[ObjectIdentifier(type), default: 0]
    }
    text = number == 1 ? "\(type)" : "\(type) \(number)"
  }
}
