import Compose

extension Timeline {
  /// Reduces the recorded actions by `composer` and returns the timeline with its states; no effect is
  /// started, what the timeline tells of effects stays.
  ///
  /// ```swift
  /// // Does the reducer still do what it did?
  /// #expect(timeline.replay(into: CounterComposer()).difference(from: timeline) == nil)
  /// ```
  ///
  /// It begins with the composer's state or, when the first steps are not kept, with that of the first
  /// one that is. What was written to the state from outside was no step, and is not repeated.
  ///
  /// - Parameter composer: a new one that is not bound. It is left in the last state: bound then, it
  ///   goes on from there.
  public func replay<C: Composer>(into composer: C) -> Timeline
  where C.State == State, C.Action == Action {
    var (replayed, state) = (self, StateSearch.box(of: composer)?.value ?? composer.state)
    let start = steps.first
    for (index, entry) in entries.enumerated() {
      guard case .step(var step) = entry.kind else { continue }
      let isStart = step.number == start?.number && step.number > 1
      for action in isStart ? [] : step.actions { _ = composer.reducer(&state, action) }
      if isStart { state = step.state }
      step.state = state
      replayed.entries[index] = TraceEvent(time: entry.time, kind: .step(step))
    }
    composer.state = state
    return replayed
  }
}
