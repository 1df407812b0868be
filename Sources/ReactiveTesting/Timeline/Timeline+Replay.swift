import Compose

extension Timeline {
  /// Reduces the recorded actions with `composer`, and returns the timeline with the resulting
  /// states.
  ///
  /// No effect is started; the events of effects are copied. A reducer that reads
  /// ``Dependencies/uuid``, ``Dependencies/now`` or ``Dependencies/random`` gets what it has got in the
  /// recorded step. One that calls `UUID()` or `Date()` gets other values than in the program: the
  /// difference says so.
  ///
  /// ```swift
  /// // Does the reducer still return the same states?
  /// #expect(timeline.replay(into: CounterComposer()).difference(from: timeline) == nil)
  /// ```
  ///
  /// A dismissal that a reducer has returned alone is replayed, with its `onDismiss`. A step with another
  /// change, such as a binding or a shared value, has the recorded state, and so have the shared parts
  /// of a child that appears. No shared value is written: a step differs that has joined the writes of
  /// two composers, or has created a child that writes a shared part in the same step.
  ///
  /// The replay begins with the composer's state. When the first steps were dropped, it begins with
  /// the state of the first recorded step. Writes to the state from outside are not recorded and
  /// not repeated.
  ///
  /// - Parameters:
  ///   - composer: new composer that is not bound. It has the last state afterwards.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  ///   - change: injects dependencies. The others have the values that their keys declare for
  ///     tests.
  public func replay<C: Composer>(
    into composer: @autoclosure () -> C, file: StaticString = #filePath, line: UInt = #line,
    _ change: (inout Dependencies) -> Void = { _ in }
  ) -> Timeline where C.State == State, C.Action == Action {
    VirtualTime(file: file, line: line, change).run { reduced(by: composer()) }
  }

  private func reduced<C: Composer>(by composer: C) -> Timeline
  where C.State == State, C.Action == Action {
    var replayed = self
    var state = StateBoxLookup.box(of: composer)?.value ?? composer.state
    let shared = SharedParts(of: composer)
    shared.adopt(&state)
    let start = steps.first
    // The dismissals that the reducer has returned alone, by the numbers of their steps.
    var dismissals: [Int: [StateChange]] = [:]
    for (index, entry) in entries.enumerated() {
      guard case .step(var step) = entry.kind else { continue }
      let isStart = step.number == start?.number && step.number > 1
      if isStart {
        state = step.state
      } else if step.change == nil || apply(&dismissals, in: step, &state) {
        StepDraws.replaying(step.drawn) {
          for action in step.actions {
            let effect = composer.reducer(&state, action)
            guard case .just(let effect) = effect.shape, let change = effect.dismissal else {
              continue
            }
            dismissals[step.number, default: []].append(change)
          }
        }
        shared.adoptInNewChildren(&state, step.state)
      } else {
        state = step.state
      }
      step.state = state
      replayed.entries[index] = TraceEvent(time: entry.time, kind: .step(step))
    }
    composer.state = state
    return replayed
  }

  /// Dismisses a child as in the recorded step; returns false when no reducer has returned that alone.
  private func apply(
    _ dismissals: inout [Int: [StateChange]], in step: ComposerStep<State, Action>,
    _ state: inout State
  ) -> Bool {
    guard case .step(let number) = step.source, var waiting = dismissals[number],
      let index = waiting.firstIndex(where: { $0.name == step.change })
    else { return false }
    waiting.remove(at: index).change(&state)
    dismissals[number] = waiting
    return true
  }
}
