import Compose
import Foundation

/// A step of the composer under test, with its time and its sender.
struct ReceivedStep<State: Sendable, Action: Sendable> {
  let step: ComposerStep<State, Action>
  /// The time of the step, in seconds of virtual time.
  let time: TimeInterval
  /// The effect that sent the actions; nil when no effect sent them, or when it is no longer
  /// recorded: the running ones and the last 16 ended ones are.
  let sender: RunningEffect<Action>?

  /// The name of the change, the actions, or both.
  var name: String {
    guard let change = step.change else { return named(step.actions) }
    return step.actions.isEmpty ? change : "\(change), \(named(step.actions))"
  }

  /// `loaded(["a"]) (step 2, at 1.5 s, sent by effect 1 of query("a"))`.
  var description: String {
    let source =
      switch step.source {
      case .outside: "from outside"
      case .step(let number): "sent by step \(number)"
      case .effect(let number):
        "sent by \(sender?.name ?? "effect \(number)")"
      case .shared(let writer, let step):
        "written by \(step.map { "step \($0) of " } ?? "")\(writer)"
      }
    return "\(name) (step \(step.number), at \(seconds(time)), \(source))"
  }
}

/// Records the steps of a composer's trace until the test takes them, and the effects while they
/// run.
final class StepRecorder<State: Sendable, Action: Sendable>: Sendable {
  private struct Records {
    var steps = Fifo<ReceivedStep<State, Action>>()
    var lastStep: (number: Int, actions: [Action]) = (0, [])
    var running: [Int: RunningEffect<Action>] = [:]
    // As they were while running. The last actions of an effect may be reduced after its end.
    var recentlyEnded = Fifo<RunningEffect<Action>>()
    /// The number of steps at one time that the test has not taken.
    var burst = (time: 0.0, count: 0)

    func sender(of source: ActionSource) -> RunningEffect<Action>? {
      guard case .effect(let number) = source else { return nil }
      if let sender = running[number] { return sender }
      return (0..<recentlyEnded.count).lazy.map { recentlyEnded[$0] }.first { $0.number == number }
    }
  }

  private let records = Locked(Records())

  /// Records an event, and returns the last of 100,000 steps that were made at one time, as of an action
  /// that sends itself.
  func record(_ event: TraceEvent<State, Action>) -> ReceivedStep<State, Action>? {
    let time = event.time.timeIntervalSinceReferenceDate
    return records.withLock { records in
      switch event.kind {
      case .step(let step):
        records.lastStep = (step.number, step.actions)
        let sender = records.sender(of: step.source)
        let received = ReceivedStep(step: step, time: time, sender: sender)
        if records.burst.time != time { records.burst = (time, 0) }
        records.burst.count += 1
        if records.burst.count == 100_000 {
          records.steps = Fifo()
          return received
        }
        records.steps.append(received)
      case .started(let number, let origin, let id):
        var actions: [Action] = []
        switch origin {
        case .step(records.lastStep.number), .middleware(records.lastStep.number):
          actions = records.lastStep.actions
        // Started by an earlier step, a failure or the state: no actions.
        default: break
        }
        records.running[number] = RunningEffect(
          number: number, origin: origin, id: id, actions: actions, since: time)
      case .ended(let number, _):
        guard let ended = records.running.removeValue(forKey: number) else { return nil }
        records.recentlyEnded.append(ended)
        if records.recentlyEnded.count > 16 { _ = records.recentlyEnded.popFirst() }
      }
      return nil
    }
  }

  /// Removes and returns the first recorded step.
  func popFirstStep() -> ReceivedStep<State, Action>? {
    records.withLock { records in
      records.burst.count = 0
      return records.steps.popFirst()
    }
  }

  /// Removes and returns all recorded steps.
  func popAllSteps() -> [ReceivedStep<State, Action>] {
    records.withLock { records in
      records.burst.count = 0
      defer { records.steps = Fifo() }
      return (0..<records.steps.count).map { records.steps[$0] }
    }
  }

  var firstStep: ReceivedStep<State, Action>? { records.withLock { $0.steps.first } }

  /// The running effects, in the order in which they were started.
  var running: [RunningEffect<Action>] {
    records.withLock { $0.running.values.sorted { $0.number < $1.number } }
  }

  /// The running effects that a test must bring to an end: all but the state effects.
  var unfinished: [RunningEffect<Action>] {
    running.filter { if case .stateEffect = $0.origin { false } else { true } }
  }
}
