/// What the reducer of a composer has drawn in its steps, for a fork to which the same actions are sent.
struct RepeatedDraws<Action: Sendable>: Sendable {
  private var steps: [(actions: [Action], drawn: [DrawnValue])]
  /// The other actions of a group whose first action was sent.
  private var followers: ArraySlice<Action> = []

  init<State>(_ steps: [TypedStep<State, Action>]) {
    self.steps = steps.map { ($0.typedActions, $0.drawn) }
  }

  /// What the next step with this action has drawn; nothing for another action, and for the others of a
  /// group.
  mutating func values(for action: Action) -> [DrawnValue] {
    if let next = followers.first, isSame(next, action) {
      followers.removeFirst()
      return []
    }
    followers = []
    let index = steps.firstIndex { step in step.actions.first.map { isSame($0, action) } == true }
    guard let index else { return [] }
    let step = steps.remove(at: index)
    followers = step.actions.dropFirst()
    return step.drawn
  }

  private func isSame(_ first: Action, _ second: Action) -> Bool {
    changes(from: first, to: second).isEmpty
  }
}
