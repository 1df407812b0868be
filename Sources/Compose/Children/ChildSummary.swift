/// A child, or the children of one declaration, as a tool shows them.
package struct ChildSummary: Sendable, Equatable {
  /// The name of the composer's type.
  package let name: String
  /// Whether the declaration is that of rows or screens.
  package let isMany: Bool
  /// The number of children that have a state.
  package let liveCount: Int
  /// The children of the child; empty for rows and screens.
  package let children: [ChildSummary]
}
