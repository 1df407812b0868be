/// The part of a store that depends on the state and action types: its trace, and what tools use.
@usableFromInline
package class TracedStore<State: Sendable, Action: Sendable>: StoreCore, @unchecked Sendable {
  @usableFromInline final let lazyTracer = LazyReference<Tracer<State, Action>>()

  /// The store of the composer with this relay; nil when the composer is not bound.
  package static func of(_ relay: PublishRelay<Action>) -> TracedStore? {
    relay.attached as? TracedStore
  }

  /// The trace of the composer with this relay; empty when the composer is not bound.
  static func trace(of relay: PublishRelay<Action>) -> Observable<TraceEvent<State, Action>> {
    of(relay)?.trace ?? .empty()
  }

  /// The steps and effects from now on.
  package final var trace: Observable<TraceEvent<State, Action>> {
    isTraced.store(true, ordering: .relaxed)
    return lazyTracer.object { Tracer() }.events.asObservable()
  }

  /// Calls `observer` with each step and effect from now on.
  ///
  /// Called before the first step, or in ``StoreCore/perform(_:)``.
  package final func observe(_ observer: any StoreObserver) {
    lazyTracer.object { Tracer() }.add(observer)
    tool = tool?.and(observer) ?? observer
    attend()
  }

  /// Ends the calls of `observer`; called in ``StoreCore/perform(_:)``.
  package final func stopObserving(_ observer: any StoreObserver) {
    lazyTracer.object?.remove(observer)
    tool = tool?.without(observer)
    attend()
  }

  /// Makes a step of a change that comes from outside.
  func perform(_ change: StateChange) {}

  /// The current state; nil after the composer's end.
  package var currentState: State? { nil }

  /// The name of the composer's type, with its module and the types around it.
  package var typeName: String { "" }

  /// The children that the composer declares, by the current state.
  ///
  /// Called in ``StoreCore/perform(_:)``.
  package var childSummaries: [ChildSummary] { [] }

  /// Sends an action from outside, which `transform(action:)` receives first.
  package func send(_ action: Action) {}

  override final var draws: StepDraws? {
    guard let tracer, tool != nil || tracer.isObserved else { return nil }
    isTraced.store(true, ordering: .relaxed)
    return tracer.lazyDraws.object { StepDraws() }
  }

  /// Gives values to the reducer, which draws them instead of others; called where the composer reduces.
  ///
  /// What the reducer has not drawn by the end of its next step is released.
  package final func give(_ values: [DrawnValue]) { draws?.give(values) }

  /// Delivers trace events; nil until `trace` is first read or a tool records the steps.
  @inlinable final var tracer: Tracer<State, Action>? { lazyTracer.object }
}

/// Delivers trace events of all threads, one at a time, and the events of effects to tools.
@usableFromInline final class Tracer<State: Sendable, Action: Sendable>: Sendable {
  let events = PublishRelay<TraceEvent<State, Action>>()
  private let gate = SerialGate()
  private let observers = Locked<[any StoreObserver]>([])

  /// The number of the last step before the item of the mailbox that is handled; accessed where the
  /// composer reduces.
  @usableFromInline nonisolated(unsafe) var stepBeforeItem = 0

  /// What the reducer draws; created with the first draw that is recorded.
  @usableFromInline let lazyDraws = LazyReference<StepDraws>()

  /// Whether the trace has observers.
  @usableFromInline var isObserved: Bool { events.hub.hasObservers }

  /// Calls `observer` with the events of effects from now on.
  func add(_ observer: any StoreObserver) { observers.withLock { $0.append(observer) } }

  /// Ends the calls of `observer`.
  func remove(_ observer: any StoreObserver) {
    observers.withLock { $0.removeAll { $0 === observer } }
  }

  /// - Parameters:
  ///   - effectKind: the kind of an effect that starts; nil when it is not known.
  ///   - step: the number of the step in which an effect was cancelled; nil for none.
  @usableFromInline func send(
    _ kind: TraceEvent<State, Action>.Kind, _ clock: any SchedulerType,
    effectKind: EffectKind? = nil, in step: Int? = nil
  ) {
    switch kind {
    case .step: break
    case .started(let effect, let origin, let id):
      for each in observers.withLock({ $0 }) {
        each.effectStarted(effect, origin, id: id, effectKind)
      }
    case .ended(let effect, let outcome):
      for each in observers.withLock({ $0 }) { each.effectEnded(effect, outcome, in: step) }
    }
    guard isObserved else { return }
    gate.run(TraceEvent(time: clock.now, kind: kind)) { [events] in events.accept($0) }
  }
}
