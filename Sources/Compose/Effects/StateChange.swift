/// A change of a composer's state that is a step of its own: a child that dismisses itself, a binding.
///
/// An action may follow it in its step.
public struct StateChange: Sendable {
  /// What changes the state, for traces: `dismiss Editor`.
  public let name: String
  /// What has caused the change; nil for the sender of the effect.
  @usableFromInline let source: ActionSource?
  private let body: any AnyObject & Sendable
  /// Returns, for the state before the change, the action that is reduced after it in the same step.
  private var following: (@Sendable (_ state: any Sendable) -> (any Sendable)?)?

  /// The change, with the type of its state.
  private final class Body<State>: Sendable {
    let change: @Sendable (inout State) -> Void

    init(_ change: @escaping @Sendable (inout State) -> Void) { self.change = change }
  }

  /// A change of a state of this type; another type is left unchanged.
  @usableFromInline init<State: Sendable>(
    _ name: String, source: ActionSource? = nil, _ change: @escaping @Sendable (inout State) -> Void
  ) {
    self.name = name
    self.source = source
    body = Body(change)
  }

  /// Changes `state`, without a copy.
  @usableFromInline package func change<State: Sendable>(_ state: inout State) {
    (body as? Body<State>)?.change(&state)
  }

  /// The removal of a part of the state, whose child has dismissed itself.
  ///
  /// - Parameter following: returns, for the part that is removed, the action that is reduced after the
  ///   removal in the same step.
  @usableFromInline init<State: Sendable, Part: Sendable, Action: Sendable>(
    dismissing child: any Composer.Type, from part: StatePart<State, Part>,
    _ remove: @escaping @Sendable (inout State) -> Void,
    followedBy following: (@Sendable (Part) -> Action)?
  ) {
    self.init("dismiss \(child)", remove)
    guard let following else { return }
    self.following = { state in (state as? State).flatMap(part.read).map(following) }
  }

  /// Returns the action that is reduced after the change of `state` in the same step; nil for none.
  @usableFromInline package func followingAction<Action>(_ state: @autoclosure () -> some Sendable)
    -> Action?
  {
    following.flatMap { $0(state()) as? Action }
  }

  /// This change of a child's state as a change of its parent's state.
  @usableFromInline
  func lifted<State: Sendable, Part: Sendable, Action: Sendable, Parent: Sendable>(
    from part: StatePart<State, Part>, _ embed: @escaping @Sendable (Action) -> Parent
  ) -> StateChange {
    var lifted = StateChange(name, source: source) { (state: inout State) in
      _ = part.modify(&state) { change(&$0) }
    }
    guard let following else { return lifted }
    lifted.following = { state in
      guard let part = (state as? State).flatMap(part.read) else { return nil }
      return (following(part) as? Action).map(embed)
    }
    return lifted
  }

  /// The same change, whose following action is transformed.
  func map<Action: Sendable, Other: Sendable>(_ transform: @escaping @Sendable (Action) -> Other)
    -> StateChange
  {
    guard let following else { return self }
    var mapped = self
    mapped.following = { state in (following(state) as? Action).map(transform) }
    return mapped
  }
}
