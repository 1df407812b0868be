import Compose

extension Timeline {
  /// Reduces the recorded actions with `composer`, and returns the timeline with the resulting
  /// states.
  ///
  /// No effect is started; the events of effects are copied.
  ///
  /// ```swift
  /// // Does the reducer still return the same states?
  /// #expect(timeline.replay(into: CounterComposer()).difference(from: timeline) == nil)
  /// ```
  ///
  /// A step with a change, such as a dismissal or a shared value, has the recorded state. No shared
  /// value is written: a step differs that has joined the writes of two composers, or has created a
  /// child that writes a shared part in the same step.
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
    adoptSharedValues(of: composer, &state)
    let start = steps.first
    for (index, entry) in entries.enumerated() {
      guard case .step(var step) = entry.kind else { continue }
      let isStart = step.number == start?.number && step.number > 1
      for action in isStart ? [] : step.actions { _ = composer.reducer(&state, action) }
      if isStart || step.change != nil { state = step.state }
      step.state = state
      replayed.entries[index] = TraceEvent(time: entry.time, kind: .step(step))
    }
    composer.state = state
    return replayed
  }
}
