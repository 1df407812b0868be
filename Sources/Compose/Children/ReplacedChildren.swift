/// The children that others have replaced in a step, and that end after it unless they come back.
@usableFromInline struct ReplacedChildren<ID: Equatable, Node> {
  @usableFromInline var entries: [(id: ID, node: Node)] = []

  @inlinable init() {}

  @inlinable var isEmpty: Bool { entries.isEmpty }

  @inlinable mutating func append(_ node: Node, _ id: ID) { entries.append((id, node)) }

  /// Removes and returns the child with this id that meets `condition`; nil if there is none.
  @inlinable mutating func remove(
    _ id: ID, where condition: (Node) -> Bool = { _ in true }
  ) -> Node? {
    guard let index = entries.firstIndex(where: { $0.id == id && condition($0.node) }) else {
      return nil
    }
    return entries.remove(at: index).node
  }

  /// Removes and returns all, in their order, for the caller to end.
  ///
  /// The end of an effect may come back to the declaration, which must not be accessed then.
  @inlinable mutating func removeAll() -> [Node] {
    if entries.isEmpty { return [] }
    defer { entries = [] }
    return entries.map(\.node)
  }
}
