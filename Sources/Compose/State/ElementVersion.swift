import Synchronization

/// Identifies one change of an ``IdentifiedArray``, of all that are made in the program.
///
/// Two elements, or two chunks, of the same version are equal, also in arrays that were changed
/// independently of each other after one was copied.
@usableFromInline struct ElementVersion: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  /// Returns a version that no change has had before.
  @usableFromInline static func next() -> ElementVersion {
    ElementVersion(number: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}

/// Identifies a chunk of an ``IdentifiedArray``, and its content.
@usableFromInline struct ChunkStamp: Sendable {
  /// Identifies the chunk among those of its array; its index changes.
  @usableFromInline let number: Int
  @usableFromInline var version: ElementVersion

  @inlinable init(number: Int, version: ElementVersion) {
    (self.number, self.version) = (number, version)
  }
}
