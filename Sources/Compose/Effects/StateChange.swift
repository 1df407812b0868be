/// A change of a composer's state that is a step of its own, without an action: a child that dismisses
/// itself, a binding.
public struct StateChange: Sendable {
  /// What changes the state, for traces: `dismiss Editor`.
  public let name: String
  /// What has caused the change; nil for the sender of the effect.
  @usableFromInline let source: ActionSource?
  private let body: any AnyObject & Sendable

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
  @usableFromInline func change<State: Sendable>(_ state: inout State) {
    (body as? Body<State>)?.change(&state)
  }

  /// This change of a child's state as a change of its parent's state.
  @usableFromInline func lifted<State: Sendable, Part: Sendable>(from part: StatePart<State, Part>)
    -> StateChange
  {
    StateChange(name, source: source) { (state: inout State) in
      _ = part.modify(&state) { change(&$0) }
    }
  }
}
