import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a composer does, as it does it: its steps, and the life of its effects.
public struct TraceEvent<State: Sendable, Action: Sendable>: Sendable, CustomStringConvertible {
  /// What has happened.
  public enum Kind: Sendable {
    /// Actions were reduced and the state was published.
    case step(Step<State, Action>)
    /// The effect of that number was started.
    case started(effect: Int, EffectOrigin)
    /// The effect of that number has ended.
    case ended(effect: Int, EffectEnd)
  }

  /// When, by the composer's clock.
  public let time: Date
  /// What has happened.
  public let kind: Kind

  package init(time: Date, kind: Kind) { (self.time, self.kind) = (time, kind) }

  /// The step, when it is one.
  public var step: Step<State, Action>? { if case .step(let step) = kind { step } else { nil } }

  /// One line: `step 2 by effect(1): tick → State(count: 1)`, `effect 1 started by step(1)`,
  /// `effect 1 ended: completed`.
  public var description: String { description(after: nil) }

  /// The same, with what a step has changed when the state before it is known.
  func description(after before: State?) -> String {
    switch kind {
    case .started(let effect, let origin): return "effect \(effect) started by \(origin)"
    case .ended(let effect, let end): return "effect \(effect) ended: \(end)"
    case .step(let step):
      let actions = step.actions.map { "\($0)" }.joined(separator: ", ")
      let state = before.map { changes(from: $0, to: step.state).map { "; " + $0 }.joined() }
      return "step \(step.number) by \(step.source): \(actions)" + (state ?? " → \(step.state)")
    }
  }
}

extension TraceEvent: Codable where State: Codable, Action: Codable {}
extension TraceEvent.Kind: Codable where State: Codable, Action: Codable {}
extension Step: Codable where State: Codable, Action: Codable {}

/// One step of a composer.
public struct Step<State: Sendable, Action: Sendable>: Sendable {
  /// Which one: the first is 1.
  public let number: Int
  /// Who sent the actions.
  public let source: ActionSource
  /// What was reduced: one action, or those of a group.
  public let actions: [Action]
  /// The state after it.
  public package(set) var state: State

  /// A step.
  public init(number: Int, source: ActionSource, actions: [Action], state: State) {
    (self.number, self.source, self.actions, self.state) = (number, source, actions, state)
  }
}

/// Who sent an action.
public enum ActionSource: Codable, Hashable, Sendable {
  /// Somebody by the relay or the handle: a view, a test, another thread.
  case outside
  /// `.send` or `.group`, returned in the step of that number.
  case step(Int)
  /// The effect of that number.
  case effect(Int)
}

/// What an effect was started by.
public enum EffectOrigin: Codable, Hashable, Sendable {
  /// The reducer, in the step of that number.
  case step(Int)
  /// The state, which asks for the subscription of that id.
  case subscription(String)
  /// A middleware, which saw the step of that number.
  case middleware(step: Int)
}

/// How an effect has ended.
public enum EffectEnd: Codable, Hashable, Sendable {
  /// It had done its work.
  case completed
  /// With this error.
  case failed(String)
  /// It was ended: by a bag, by an id, by its composer's end, by its own `CancellationError`.
  case cancelled

  /// The end of an effect that has ended itself.
  @usableFromInline init(_ error: (any Error)?) {
    let quiet: Self = Self.cancelling.pointer == nil ? .completed : .cancelled
    self = error.map { $0 is CancellationError ? .cancelled : .failed("\($0)") } ?? quiet
  }

  // Not nil while this thread cancels an effect, which then completes.
  private static let cancelling = ThreadSlot()

  static func cancelling(_ body: () -> Void) {
    cancelling.holding(UnsafeMutableRawPointer(bitPattern: 1), body)
  }
}

/// A store that can be traced, and told by a test to reduce nothing.
@usableFromInline
package class TracedStore<State: Sendable, Action: Sendable>: StoreCore, @unchecked Sendable {
  @usableFromInline final let lazyTracer = LazyReference<Tracer<State, Action>>()
  @usableFromInline final let stubbed = Atomic(false)

  /// What happens from now on to that of a composer by its relay; nothing unless it is bound.
  static func trace(of relay: PublishRelay<Action>) -> Observable<TraceEvent<State, Action>> {
    (relay.attached as? TracedStore)?.trace ?? .empty()
  }

  /// What happens from now on.
  package final var trace: Observable<TraceEvent<State, Action>> {
    lazyTracer.object { Tracer() }.events.asObservable()
  }

  /// Tells of what happens, once somebody has asked for it.
  @inlinable final var tracer: Tracer<State, Action>? { lazyTracer.object }

  /// Whether actions are told to who observes them and not reduced.
  @inlinable final var isStubbed: Bool { stubbed.load(ordering: .relaxed) }

  /// Tells actions to who observes them from now on, and reduces none.
  package final func stub() { stubbed.store(true, ordering: .relaxed) }
}

/// Tells one event at a time.
@usableFromInline final class Tracer<State: Sendable, Action: Sendable>: Sendable {
  let events = PublishRelay<TraceEvent<State, Action>>()
  private let gate = Gate()

  @usableFromInline func send(_ kind: TraceEvent<State, Action>.Kind, _ clock: any SchedulerType) {
    gate.run(TraceEvent(time: clock.now, kind: kind)) { [events] in events.accept($0) }
  }
}
