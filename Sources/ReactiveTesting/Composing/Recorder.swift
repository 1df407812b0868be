import Compose
import Foundation

/// An effect that runs: what started it, and since when.
public struct RunningEffect<Action: Sendable>: Sendable {
  /// Which one of its composer's: the first that starts is 1.
  public let number: Int
  /// What started it.
  public let origin: EffectOrigin
  /// The actions of the step that started it: one, or those of a group; empty when the state asked for
  /// it.
  public let actions: [Action]
  /// Since when it runs, in seconds of virtual time.
  public let since: TimeInterval
}

extension RunningEffect: CustomStringConvertible {
  /// `effect 1 of query("x") (step 1), running since 0 s`.
  public var description: String {
    let starter =
      switch origin {
      case .step(let step): " of \(named(actions)) (step \(step))"
      case .middleware(let step): " of a middleware after \(named(actions)) (step \(step))"
      case .subscription(let id): " of subscription \(id)"
      }
    return "effect \(number)\(starter), running since \(seconds(since))"
  }
}

/// A step that a composer made, and who had it made.
struct ReceivedStep<State: Sendable, Action: Sendable> {
  let step: Step<State, Action>
  /// When, in seconds of virtual time.
  let time: TimeInterval
  /// What had started the effect that sent it.
  let sender: RunningEffect<Action>?

  /// `loaded(["a"]) (step 2, at 1.5 s, sent by an effect of query("a"))`.
  var description: String {
    let source =
      switch step.source {
      case .outside: "from outside"
      case .step(let number): "sent by step \(number)"
      case .effect(let number):
        sender.map { "sent by effect \(number) of \(named($0.actions))" }
          ?? "sent by effect \(number)"
      }
    return "\(named(step.actions)) (step \(step.number), at \(seconds(time)), \(source))"
  }
}

/// Keeps what a composer's trace tells until a test asks.
final class Recorder<State: Sendable, Action: Sendable>: Sendable {
  private struct Content {
    var steps = Fifo<ReceivedStep<State, Action>>()
    var last: (number: Int, actions: [Action]) = (0, [])
    var running: [Int: RunningEffect<Action>] = [:]
    // What an effect sends last is reduced when it has ended.
    var ended = Fifo<RunningEffect<Action>>()

    func sender(of source: ActionSource) -> RunningEffect<Action>? {
      guard case .effect(let number) = source else { return nil }
      if let sender = running[number] { return sender }
      return (0..<ended.count).lazy.map { ended[$0] }.first { $0.number == number }
    }
  }

  private let content = Locked(Content())

  func record(_ event: TraceEvent<State, Action>) {
    let time = event.time.timeIntervalSinceReferenceDate
    content.withLock { content in
      switch event.kind {
      case .step(let step):
        content.last = (step.number, step.actions)
        let sender = content.sender(of: step.source)
        content.steps.append(ReceivedStep(step: step, time: time, sender: sender))
      case .started(let number, let origin):
        var actions: [Action] = []
        switch origin {
        case .step(content.last.number), .middleware(content.last.number):
          actions = content.last.actions
        default: break
        }
        content.running[number] = RunningEffect(
          number: number, origin: origin, actions: actions, since: time)
      case .ended(let number, _):
        guard let ended = content.running.removeValue(forKey: number) else { return }
        content.ended.append(ended)
        if content.ended.count > 16 { _ = content.ended.popFirst() }
      }
    }
  }

  /// Takes the first step that was not taken yet.
  func popFirst() -> ReceivedStep<State, Action>? { content.withLock { $0.steps.popFirst() } }

  /// Takes all steps that were not taken yet.
  func popAll() -> [ReceivedStep<State, Action>] {
    content.withLock { content in
      defer { content.steps = Fifo() }
      return (0..<content.steps.count).map { content.steps[$0] }
    }
  }

  var first: ReceivedStep<State, Action>? { content.withLock { $0.steps.first } }

  /// What runs, in the order it was started.
  var running: [RunningEffect<Action>] {
    content.withLock { $0.running.values.sorted { $0.number < $1.number } }
  }

  /// What runs and has an end to come to: all but what the state asks for.
  var unfinished: [RunningEffect<Action>] {
    running.filter { if case .subscription = $0.origin { false } else { true } }
  }
}

/// One action, or a group.
func named<Action>(_ actions: [Action]) -> String {
  guard actions.count != 1 else { return described(actions[0]) }
  if actions.isEmpty { return "an earlier action" }
  return "group(\(actions.map(described).joined(separator: ", ")))"
}

/// `1.5 s`.
func seconds(_ time: TimeInterval) -> String {
  let text = "\(time)"
  return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
}

/// The lines, each indented, below a headline.
func listed(_ headline: String, _ lines: [String]) -> String {
  ([headline] + lines.map { "    \($0)" }).joined(separator: "\n")
}
