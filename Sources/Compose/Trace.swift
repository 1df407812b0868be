import Foundation
import Synchronization

/// What a composer does, as it does it: its steps, and the life of its effects.
public struct TraceEvent<State: Sendable, Action: Sendable>: Sendable {
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
}

extension TraceEvent: Codable where State: Codable, Action: Codable {}
extension TraceEvent.Kind: Codable where State: Codable, Action: Codable {}
extension Step: Codable where State: Codable, Action: Codable {}

extension TraceEvent: CustomStringConvertible {
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
    let outer = cancelling.pointer
    defer { cancelling.pointer = outer }
    cancelling.pointer = UnsafeMutableRawPointer(bitPattern: 1)
    body()
  }
}

extension Composer {
  /// What this composer does from now on, as it does it; nothing as long as it is not bound.
  ///
  /// Steps are delivered where the composer reduces, effects where they start and end; one event at a
  /// time, in the order in which they happened. A composer that nobody traces pays nothing for it.
  ///
  /// ```swift
  /// composer.trace.subscribe(onNext: { log("\($0)") }).disposed(by: bag)
  /// // step 1 by outside: start → State(count: 0)
  /// ```
  public var trace: Observable<TraceEvent<State, Action>> {
    TracedStore.of(action)?.trace ?? .empty()
  }
}

extension Composer {
  /// Binds this for a test, unless it is bound already.
  ///
  /// - Parameters:
  ///   - isStubbed: whether actions are told to who observes them and not reduced.
  ///   - prepare: called before anything starts, with the first state and the trace.
  package func bind(
    to executor: some ComposeExecutor, isStubbed: Bool = false,
    _ prepare: (State, Observable<TraceEvent<State, Action>>) -> Void = { _, _ in }
  ) {
    Store.bind(self, to: executor) { store in
      if isStubbed { store.stub() }
      prepare(store.box?.value ?? state, store.trace)
    }
    if isStubbed { TracedStore<State, Action>.of(action)?.stub() }
  }
}

extension Composed {
  /// What the composer does from now on, as it does it.
  ///
  /// Steps are delivered where the composer reduces, effects where they start and end; one event at a
  /// time, in the order in which they happened. A composer that nobody traces pays nothing for it.
  public var trace: Observable<TraceEvent<State, Action>> {
    TracedStore.of(actions)?.trace ?? .empty()
  }
}

/// A store that can be traced, and told by a test to reduce nothing.
@usableFromInline
class TracedStore<State: Sendable, Action: Sendable>: StoreCore, @unchecked Sendable {
  // `tracer` is written once, under the lock, before `isTraced` says so.
  @exclusivity(unchecked) @usableFromInline final var tracer: Tracer<State, Action>?
  @usableFromInline final let flags = Atomic<UInt8>(0)

  @inlinable final var isTraced: Bool { flags.load(ordering: .acquiring) & 1 != 0 }

  /// Whether actions are told to who observes them and not reduced.
  @inlinable final var isStubbed: Bool { flags.load(ordering: .relaxed) & 2 != 0 }

  /// Tells actions to who observes them from now on, and reduces none.
  final func stub() { flags.bitwiseOr(2, ordering: .relaxed) }

  /// That of a composer by its relay, once it is bound.
  static func of(_ relay: PublishRelay<Action>) -> TracedStore? { relay.attached as? TracedStore }

  final var trace: Observable<TraceEvent<State, Action>> {
    lock.lock()
    defer { lock.unlock() }
    let tracer = tracer ?? Tracer()
    self.tracer = tracer
    flags.bitwiseOr(1, ordering: .releasing)
    return tracer.events.asObservable()
  }
}

/// Tells one event at a time.
@usableFromInline final class Tracer<State: Sendable, Action: Sendable>: Sendable {
  let events = PublishRelay<TraceEvent<State, Action>>()
  private let gate = Gate()

  @usableFromInline func send(_ kind: TraceEvent<State, Action>.Kind, _ clock: any SchedulerType) {
    let event = TraceEvent(time: clock.now, kind: kind)
    gate.run(event) { [events] in events.accept($0) }
  }

  /// Tells of an effect that starts; the closure tells of its end.
  @usableFromInline func effect(_ number: Int, _ origin: EffectOrigin, _ clock: any SchedulerType)
    -> (EffectEnd) -> Void
  {
    send(.started(effect: number, origin), clock)
    return { self.send(.ended(effect: number, $0), clock) }
  }
}
