#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// What depends on the types of a composer; the subclass knows them.
class ComposerTypes: @unchecked Sendable {
  // Without properties; the subclass names what protects its own.
  /// The current state; nil when it is not known.
  var currentState: (any Sendable)? { nil }
  /// The type of the actions.
  var actionType: any Sendable.Type { Never.self }
  /// The names of the cases of the actions.
  var actionNames: [String] { [] }
  /// The number of the actions that wait to be reduced.
  var queueDepth: Int { 0 }
  /// The children by the last call of ``readChildren()``.
  var children: [ChildSummary] { [] }
  /// The time by the composer's clock; nil when it is not known.
  var now: Date? { nil }
  /// The number of the composer's clock if it is virtual; nil when that is not known.
  var virtualClock: Int? { nil }
  /// Whether the state and the actions are `Codable`.
  var canExport: Bool { false }
  /// Whether the values are the JSON of a file.
  var isOfFile: Bool { false }
  /// Whether the composer can be forked.
  var canFork: Bool { false }

  /// Reads the children where the composer reduces, between two steps, which may be later.
  func readChildren() {}

  /// Ends the calls of the observer.
  func stopObserving() {}

  /// Sends an action of the composer's type.
  func send(_ action: any Sendable) {}

  /// A state as clients see it: JSON of a file by its parts.
  func shown(state: any Sendable) -> any Sendable { state }

  /// An action as clients see it.
  func shown(action: any Sendable) -> any Sendable { action }

  /// The events as a timeline; nil when the values are not `Codable`.
  ///
  /// - Parameter given: the state before the events; nil when it is not known.
  func timeline(
    of events: [LoggedEvent], after given: (any Sendable)?
  ) -> (any RecordedTimeline)? {
    nil
  }

  /// Checks that `json` is a state, and returns the JSON of that state.
  func checkedState(_ json: AnyJSON) throws(RecordingError) -> AnyJSON { json }

  /// Creates a composer that begins with a state; nil when the composer cannot be forked.
  ///
  /// - Parameter steps: those after the state, whose actions may be sent to the fork.
  func fork(with state: any Sendable, before steps: [RecordedStep]) -> Fork? { nil }
}

/// The same for a composer with these types.
final class TypesOfComposer<State: Sendable, Action: Sendable>: ComposerTypes, @unchecked Sendable {
  // Written by the initializer only.
  private weak var store: TracedStore<State, Action>?
  private let lastActionNames = Locked<[String]?>(nil)
  private let forkMaker = Locked<ForkMaker<State, Action>?>(nil)
  private let lastChildren = Locked<[ChildSummary]>([])
  private let isReadingChildren = Atomic(false)
  /// The composer's clock; nil until it was read where the composer reduces.
  private let clock = Locked<(scheduler: any SchedulerType, virtualNumber: Int?)?>(nil)

  /// - Parameter store: nil for a composer of a file.
  init(_ store: TracedStore<State, Action>?) { self.store = store }

  /// Stores the composer's clock; called where the composer reduces.
  func noteClock(
    of store: TracedStore<State, Action>, _ virtualClocks: VirtualClocks
  ) -> any SchedulerType {
    let scheduler = store.context.scheduler
    let number = virtualClocks.number(of: scheduler)
    clock.withLock { $0 = (scheduler, number) }
    return scheduler
  }

  // A cycle of references until the end of the composer or of the recording: with a weak one, each step would
  // count its reference to the observer more slowly.
  private let observer = Locked<RecordingObserver?>(nil)

  /// Calls `observer` with the steps and effects of `store`; called where the composer reduces.
  func observe(_ store: TracedStore<State, Action>, by observer: RecordingObserver) {
    self.observer.withLock { $0 = observer }
    store.observe(observer)
  }

  /// Notes that the composer has been released.
  func noteEnd() { observer.replace(with: nil)?.end() }

  override func stopObserving() {
    guard let observer = observer.replace(with: nil) else { return }
    observer.sizer.stop()
    store?.perform { [weak store] in store?.stopObserving(observer) }
  }

  /// Lets clients fork the composer.
  func setForkMaker(_ maker: ForkMaker<State, Action>) { forkMaker.withLock { $0 = maker } }

  override var currentState: (any Sendable)? { store?.currentState }

  override var actionType: any Sendable.Type { Action.self }

  /// Read once: the list of composers is sent several times a second.
  override var actionNames: [String] {
    lastActionNames.withLock { names in
      let found = names ?? EnumCases.names(of: Action.self)
      names = found
      return found
    }
  }

  override var queueDepth: Int { store?.queueDepth ?? 0 }

  override var children: [ChildSummary] { lastChildren.withLock { $0 } }

  override var now: Date? { clock.withLock { $0?.scheduler }?.now }

  override var virtualClock: Int? { clock.withLock { $0?.virtualNumber } }

  override var canFork: Bool { forkMaker.withLock { $0 } != nil }

  override var canExport: Bool { Timeline<State, Action>(entries: []) is any RecordedTimeline }

  override var isOfFile: Bool { State.self == AnyJSON.self }

  override func readChildren() {
    // One at a time: the mailbox of a composer that waits is the program's.
    guard let store, !isReadingChildren.exchange(true, ordering: .relaxed) else { return }
    store.perform { [weak self, weak store] in
      guard let self, let store else { return }
      isReadingChildren.store(false, ordering: .relaxed)
      let children = store.childSummaries
      lastChildren.withLock { $0 = children }
    }
  }

  override func send(_ action: any Sendable) {
    if let action = action as? Action { store?.send(action) }
  }

  override func shown(state: any Sendable) -> any Sendable {
    (state as? AnyJSON)?.shown(as: "State") ?? state
  }

  override func shown(action: any Sendable) -> any Sendable {
    (action as? AnyJSON)?.shownAction() ?? action
  }

  override func timeline(
    of events: [LoggedEvent], after given: (any Sendable)?
  ) -> (any RecordedTimeline)? {
    var entries = events.compactMap { event -> TraceEvent<State, Action>? in
      let time = event.time
      return switch event.event {
      case .step(let step):
        (step as? TypedStep<State, Action>).map { TraceEvent(time: time, kind: .step($0.step)) }
      case .effect(.started(let effect, let origin, let name)):
        TraceEvent(time: time, kind: .started(effect: effect, origin, id: name.id))
      case .effect(.ended(let effect, let end, _)):
        TraceEvent(time: time, kind: .ended(effect: effect, end.outcome))
      case .socket: nil
      }
    }
    let first = entries.lazy.compactMap { entry in entry.step.map { (entry.time, $0) } }.first
    if let (time, step) = first, step.number > 1, let given = given as? State {
      let before = ComposerStep<State, Action>(
        number: step.number - 1, source: .outside, actions: [], change: "state", state: given)
      entries.insert(TraceEvent(time: time, kind: .step(before)), at: 0)
    }
    return Timeline(entries: entries) as? any RecordedTimeline
  }

  override func checkedState(_ json: AnyJSON) throws(RecordingError) -> AnyJSON {
    let state: State
    do throws(ActionProblem) {
      state = try ActionDecoder.action(State.self, from: json)
    } catch {
      throw .wrongState(error.message)
    }
    guard let state = state as? any Encodable,
      let text = try? JSONTreeEncoder.tree(of: state, .none).line,
      let decoded = try? AnyJSON(parsing: text)
    else { return json }
    return decoded
  }

  override func fork(with state: any Sendable, before steps: [RecordedStep]) -> Fork? {
    guard let maker = forkMaker.withLock({ $0 }), let state = state as? State else { return nil }
    let (composed, forkMaker) = maker.fork(state)
    guard let store = TracedStore<State, Action>.of(composed.actions) else { return nil }
    let draws = Locked(RepeatedDraws(steps.compactMap { $0 as? TypedStep<State, Action> }))
    // Called where the composer reduces, before the reducer.
    let subscription = composed.actions.subscribe(onNext: { [weak store] action in
      store?.give(draws.withLock { $0.values(for: action) })
    })
    return Fork(composed: composed, subscription: subscription) { program in
      let record = program.record(of: store)
      program.setForkMaker(forkMaker, of: store)
      return record
    }
  }
}
