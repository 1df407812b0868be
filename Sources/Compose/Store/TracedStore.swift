/// The part of a store that depends on the state and action types: its trace.
@usableFromInline
package class TracedStore<State: Sendable, Action: Sendable>: StoreCore, @unchecked Sendable {
  @usableFromInline final let lazyTracer = LazyReference<Tracer<State, Action>>()

  /// The trace of the composer with this relay; empty when the composer is not bound.
  static func trace(of relay: PublishRelay<Action>) -> Observable<TraceEvent<State, Action>> {
    (relay.attached as? TracedStore)?.trace ?? .empty()
  }

  /// The steps and effects from now on.
  package final var trace: Observable<TraceEvent<State, Action>> {
    lazyTracer.object { Tracer() }.events.asObservable()
  }

  /// Makes a step of a change that comes from outside.
  func perform(_ change: StateChange) {}

  /// Delivers trace events; nil until `trace` is first read.
  @inlinable final var tracer: Tracer<State, Action>? { lazyTracer.object }
}

/// Delivers trace events of all threads, one at a time.
@usableFromInline final class Tracer<State: Sendable, Action: Sendable>: Sendable {
  let events = PublishRelay<TraceEvent<State, Action>>()
  private let gate = SerialGate()

  @usableFromInline func send(_ kind: TraceEvent<State, Action>.Kind, _ clock: any SchedulerType) {
    gate.run(TraceEvent(time: clock.now, kind: kind)) { [events] in events.accept($0) }
  }
}
