/// A change of a composer's state that is a step of its own, without an action: a child that dismisses
/// itself, a binding.
public struct StateChange: Sendable {
  /// What changes the state, for traces: `dismiss Editor`.
  public let name: String
  private let apply: @Sendable (inout any Sendable) -> Void

  /// A change of a state of this type; another type is left unchanged.
  init<State: Sendable>(_ name: String, _ change: @escaping @Sendable (inout State) -> Void) {
    self.name = name
    apply = { value in
      guard var state = value as? State else { return }
      // `state` is the only owner then, so that changing it does not copy.
      value = ()
      change(&state)
      value = state
    }
  }

  /// Changes `state`.
  @usableFromInline func change<State: Sendable>(_ state: inout State) {
    var value: any Sendable = state
    apply(&value)
    if let changed = value as? State { state = changed }
  }

  /// This change of a child's state as a change of its parent's state.
  func lifted<State: Sendable, Part: Sendable>(from part: StatePart<State, Part>) -> StateChange {
    StateChange(name) { (state: inout State) in _ = part.modify(&state) { change(&$0) } }
  }
}
