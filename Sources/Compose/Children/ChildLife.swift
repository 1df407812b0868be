/// Whether a child has ended.
///
/// What a child has sent is dropped then, so that it does not reach the next child in its place.
@usableFromInline final class ChildLife: @unchecked Sendable {
  // Accessed only where the composer reduces.
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable init() {}
}
