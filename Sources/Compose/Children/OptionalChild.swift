/// A child that exists while its state is not nil.
///
/// ```swift
/// let editor = OptionalChild { EditorComposer() }
/// ```
public final class OptionalChild<Child: Composer> {
  let children: Children<Int, Child>

  /// An absent child.
  ///
  /// - Parameter make: creates the child when it is first used, and again when it is used after its
  ///   end.
  public init(_ make: @escaping () -> Child) { children = Children { _ in make() } }

  /// Ends the child and its effects.
  public func remove() { children.remove(0) }
}
