import Foundation

/// What a composer did, as a value: to print, to keep in a file, to replay and to compare.
///
/// ```swift
/// let recorder = TimelineRecorder(composer.trace)
/// composer.action.accept(.start)
/// print(recorder.timeline)
/// // 0.000 step 1 by outside: start → State(count: 0)
/// // 0.000 effect 1 started by step(1)
/// // 1.000 step 2 by effect(1): tick; count: 0 → 1
/// ```
///
/// States share what they have in common, as all values do: a big array that no step changes is there
/// once.
public struct Timeline<State: Sendable, Action: Sendable>: Sendable {
  /// What has happened, in its order.
  public internal(set) var entries: [TraceEvent<State, Action>]
  /// How many entries there were before these and are not kept.
  public internal(set) var dropped = 0

  /// The steps among the entries.
  public var steps: [Step<State, Action>] { entries.compactMap(\.step) }

  /// The step of that number, the step it was caused by, and so on back to what came from outside.
  ///
  /// A cause that is not among the entries ends the list, which is empty when the step itself is not.
  /// What an effect of ``Composer/subscriptions(_:)`` sends was caused by the step before its start.
  public func causes(of number: Int) -> [Step<State, Action>] {
    var causes: [Step<State, Action>] = []
    // Nil is whatever step comes next.
    var wanted: ActionSource? = .step(number)
    for entry in entries.reversed() {
      switch entry.kind {
      case .step(let step) where wanted == nil || wanted == .step(step.number):
        causes.append(step)
        wanted = step.source
      case .started(let effect, .subscription) where wanted == .effect(effect): wanted = nil
      case .started(let effect, .step(let step)) where wanted == .effect(effect),
        .started(let effect, .middleware(let step)) where wanted == .effect(effect):
        wanted = .step(step)
      default: break
      }
    }
    return causes
  }

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

extension Timeline: CustomStringConvertible {
  /// A line for each entry: the seconds since the first, what happened, by what, and what it changed.
  public var description: String {
    var (lines, state) = (dropped == 0 ? [] : ["\(dropped) dropped"], State?.none)
    for entry in entries {
      let seconds = entry.time.timeIntervalSince(entries[0].time)
      lines.append(String(format: "%.3f ", seconds) + entry.description(after: state))
      state = entry.step?.state ?? state
    }
    return lines.joined(separator: "\n")
  }
}
