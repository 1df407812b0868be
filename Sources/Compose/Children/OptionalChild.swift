/// A child that exists while its state is not nil.
///
/// ```swift
/// let editor = OptionalChild { EditorComposer() }
/// ```
///
/// A child is identified by the id of its state. A state with another id belongs to another child:
/// the previous child and its effects end before the new one reduces its first action.
public final class OptionalChild<Child: Composer> {
  private var current: (id: AnyHashable?, child: Child)?
  private let id: ((Child.State) -> AnyHashable)?
  private let make: () -> Child

  /// An absent child.
  ///
  /// All states belong to the same child, until one of them is nil.
  ///
  /// - Parameter make: creates the child when it is first used, and again when it is used after its
  ///   end.
  public init(_ make: @escaping () -> Child) {
    id = nil
    self.make = make
  }

  /// An absent child, which is identified by the `id` of its state.
  ///
  /// - Parameter make: creates the child when it is first used, and again when it is used after its
  ///   end.
  public convenience init(_ make: @escaping () -> Child) where Child.State: Identifiable {
    self.init(id: \.id, make)
  }

  /// An absent child, which is identified by a part of its state.
  ///
  /// ```swift
  /// let sheet = OptionalChild(id: \.room) { SheetComposer() }
  /// ```
  ///
  /// - Parameters:
  ///   - id: what identifies the child.
  ///   - make: creates the child when it is first used, and again when it is used after its end or
  ///     with another id.
  public init(id: @escaping (Child.State) -> some Hashable, _ make: @escaping () -> Child) {
    self.id = { AnyHashable(id($0)) }
    self.make = make
  }

  /// Ends the child and its effects.
  public func remove() {
    // Released after the change: the end of an effect may come back here.
    let ended = current
    current = nil
    withExtendedLifetime(ended) {}
  }

  /// Returns the child of `state`; a child with another id ends first.
  func child(for state: Child.State) -> Child {
    removeUnlessIdentified(by: state)
    if let current { return current.child }
    let child = make()
    current = (id?(state), child)
    return child
  }

  /// Ends the child if `state` has another id.
  func removeUnlessIdentified(by state: Child.State) {
    if let id, let current, current.id != id(state) { remove() }
  }
}
