/// Where an element of an ``IdentifiedArray`` is.
@usableFromInline struct ElementLocation: Sendable {
  /// The number of the chunk.
  @usableFromInline let chunk: Int
  /// The offset in the chunk when it was noted; it may have changed since.
  @usableFromInline let offset: Int

  @inlinable init(chunk: Int, offset: Int) {
    (self.chunk, self.offset) = (chunk, offset)
  }
}

/// A dictionary in parts, so that a change of a copy copies one part only.
@usableFromInline struct ElementLocations<ID: Hashable> {
  /// The number of parts is a power of two.
  @usableFromInline var parts: ContiguousArray<[ID: ElementLocation]> = [[:]]
  @usableFromInline var count = 0

  @inlinable init() {}

  @inlinable subscript(id: ID) -> ElementLocation? {
    get { parts[part(of: id)][id] }
    set {
      let old =
        if let newValue {
          parts[part(of: id)].updateValue(newValue, forKey: id)
        } else { parts[part(of: id)].removeValue(forKey: id) }
      count += (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
      if count > 64 * parts.count { grow() }
    }
  }

  @inlinable func part(of id: ID) -> Int {
    // Not the low bits of the hash, by which each part orders its ids.
    parts.count == 1
      ? 0
      : Int(bitPattern: UInt(bitPattern: id.hashValue) >> (UInt.bitWidth - 24)) & (parts.count - 1)
  }

  /// Doubles the number of parts.
  @inlinable mutating func grow() {
    let old = parts
    parts = ContiguousArray(repeating: [:], count: 2 * old.count)
    for part in old {
      for (id, location) in part { parts[self.part(of: id)][id] = location }
    }
  }
}

extension ElementLocations: Sendable where ID: Sendable {}
