#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// The events of a composer with these types.
final class TypedComposerRecord<State: Sendable, Action: Sendable>: ComposerRecord,
  @unchecked Sendable
{
  private struct Entry {
    let number: Int
    let event: TraceEvent<State, Action>
    var deliveredEvent: Int?
  }

  // Protected by the lock of the log.
  private var entries = Fifo<Entry>()
  private var dropped: [Entry] = []
  private var droppedStates: [State] = []
  /// The state before the first entry.
  private var initialState: State?

  private unowned let log: EventLog
  private weak let store: TracedStore<State, Action>?
  private let size = Locked(EventSizer<State, Action>())
  private let lastChildren = Locked<[ChildSummary]>([])
  private let hasEnded = Atomic(false)
  private let forkMaker = Locked<ForkMaker<State, Action>?>(nil)
  /// The composer's clock; nil until it was read where the composer reduces.
  private let clock = Locked<(any SchedulerType)?>(nil)
  private let subscription = SerialDisposable()

  /// A composer of a file.
  init(
    _ entries: [TraceEvent<State, Action>], name: String, number: Int, in log: EventLog,
    at now: Date
  ) {
    store = nil
    self.log = log
    super.init(number: number, name: name, typeName: name, at: now)
    hasEnded.store(true, ordering: .relaxed)
  }

  /// Records an event that was read from a file.
  func replay(_ event: TraceEvent<State, Action>) { record(event) }

  init(_ store: TracedStore<State, Action>, number: Int, in log: EventLog, at now: Date) {
    self.store = store
    self.log = log
    initialState = store.currentState
    super.init(number: number, name: store.name, typeName: store.typeName, at: now)
  }

  /// Records the store's events from now on.
  ///
  /// - Parameter ended: called when the composer has ended.
  func start(_ ended: @escaping @Sendable () -> Void) {
    guard let store else { return }
    subscription.disposable = store.trace.subscribe(onNext: { [weak self] in self?.record($0) })
    store.perform { [weak self, weak store] in
      guard let self, let store else { return }
      let scheduler = store.context.scheduler
      clock.withLock { $0 = scheduler }
    }
    store.whenEnded { [weak self] in
      self?.hasEnded.store(true, ordering: .relaxed)
      ended()
    }
  }

  override func stop() { subscription.dispose() }

  private func record(_ event: TraceEvent<State, Action>) {
    let bytes = size.withLock { $0.next(event) }
    let delivered = DeliveredEvent.current(in: log)
    log.append(of: self, bytes: bytes) { number in
      let entry = Entry(number: number, event: event, deliveredEvent: delivered)
      entries.append(entry)
      if event.step != nil { stepCount += 1 }
      ledger.note(head(entry))
    }
  }

  override var isLive: Bool { !hasEnded.load(ordering: .relaxed) }

  override var queueDepth: Int { store?.queueDepth ?? 0 }

  override var children: [ChildSummary] { lastChildren.withLock { $0 } }

  override func readChildren() {
    guard let store else { return }
    store.perform { [weak self, weak store] in
      guard let self, let store else { return }
      let children = store.childSummaries
      lastChildren.withLock { $0 = children }
    }
  }

  override var now: Date { clock.withLock { $0 }?.now ?? .distantPast }

  override var actionType: any Sendable.Type { Action.self }

  override func send(_ action: any Sendable) {
    if let action = action as? Action { store?.send(action) }
  }

  // MARK: Recordings

  override func recording(
    _ range: ClosedRange<Int>, stepsOnly: Bool
  ) throws(RecordingError) -> any RecordedTimeline {
    let (found, given) = log.withLock { () -> ([Entry], State?) in
      let start = firstOffset { entries[$0].number >= range.lowerBound }
      let found = (start..<entries.count).map { entries[$0] }
        .prefix { $0.number <= range.upperBound }
      return (Array(found), lastStep(before: start)?.state ?? initialState)
    }
    guard let first = found.first(where: { $0.event.step != nil })?.event, let step = first.step
    else { throw .noSteps }
    var events = found.map(\.event)
    if stepsOnly { events.removeAll { $0.step == nil } }
    if step.number > 1, let given {
      let before = ComposerStep<State, Action>(
        number: step.number - 1, source: .outside, actions: [], change: "state", state: given)
      events.insert(TraceEvent(time: first.time, kind: .step(before)), at: 0)
    }
    let timeline = Timeline(entries: events)
    guard let recorded = timeline as? any RecordedTimeline else {
      throw .notCodable(composer: name)
    }
    return recorded
  }

  override var canExport: Bool {
    Timeline<State, Action>(entries: []) is any RecordedTimeline
  }

  override func checkState(_ json: AnyJSON) throws(RecordingError) {
    do throws(ActionProblem) {
      _ = try ActionDecoder.action(State.self, from: json)
    } catch {
      throw .wrongState(error.message)
    }
  }

  /// Lets clients fork the composer.
  func setForkMaker(_ maker: ForkMaker<State, Action>) { forkMaker.withLock { $0 = maker } }

  override var canFork: Bool { forkMaker.withLock { $0 } != nil }

  override func fork(at event: Int) -> Fork? {
    let found = log.withLock { state(at: event)?.state as? State }
    guard let maker = forkMaker.withLock({ $0 }), let found else { return nil }
    let composed = maker.fork(found)
    guard let store = TracedStore<State, Action>.of(composed.actions) else { return nil }
    return Fork(composed: composed) { $0.record(of: store) }
  }

  // MARK: Events

  override var isEmpty: Bool { entries.isEmpty }

  /// The value as clients see it: JSON of a file by its parts.
  private func shown(_ value: some Sendable) -> any Sendable {
    (value as? AnyJSON)?.plain ?? value
  }

  private func head(_ entry: Entry) -> EventHead {
    let kind: EventHead.Kind =
      switch entry.event.kind {
      case .step(let step): .step(step.number, step.source)
      case .started(let effect, let origin, let id): .started(effect: effect, origin, id: id)
      case .ended(let effect, let outcome): .ended(effect: effect, outcome)
      }
    return EventHead(
      number: entry.number, source: number, time: entry.event.time, kind: kind,
      deliveredEvent: entry.deliveredEvent)
  }

  /// The first offset for which `isAfter` returns true, as it does for all later ones.
  private func firstOffset(where isAfter: (_ offset: Int) -> Bool) -> Int {
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        isAfter(middle) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    return range.lowerBound
  }

  private func offset(of number: Int) -> Int? {
    let offset = firstOffset { entries[$0].number >= number }
    return offset < entries.count && entries[offset].number == number ? offset : nil
  }

  /// The offset of the last step at this offset or before it.
  private func lastStep(before offset: Int) -> (offset: Int, state: State)? {
    for offset in (0..<offset).reversed() {
      if let step = entries[offset].event.step { return (offset, step.state) }
    }
    return nil
  }

  override func head(_ number: Int) -> EventHead? { offset(of: number).map { head(entries[$0]) } }

  override func event(_ number: Int) -> RecordedEvent? {
    guard let offset = offset(of: number) else { return nil }
    let entry = entries[offset]
    let step = entry.event.step
    return RecordedEvent(
      head: head(entry), actions: (step?.actions ?? []).map { shown($0) }, change: step?.change,
      before: step == nil
        ? nil : (lastStep(before: offset)?.state ?? initialState).map { shown($0) },
      after: step.map { shown($0.state) })
  }

  override func event(ofStep step: Int) -> Int? {
    // An entry that is no step is ordered by the last step before it.
    let offset = firstOffset { offset in
      let last = lastStep(before: offset + 1)
      return last.flatMap { entries[$0.offset].event.step?.number }.map { $0 >= step } ?? false
    }
    guard offset < entries.count, entries[offset].event.step?.number == step else { return nil }
    return entries[offset].number
  }

  override func state(at event: Int) -> (event: Int, state: any Sendable)? {
    let last = lastStep(before: firstOffset { entries[$0].number > event })
    if let last { return (entries[last.offset].number, shown(last.state)) }
    return initialState.map { (0, shown($0)) }
  }

  override func forEachHead(from event: Int, _ body: (EventHead) -> Bool) {
    for offset in firstOffset(where: { entries[$0].number >= event })..<entries.count
    where !body(head(entries[offset])) {
      return
    }
  }

  override func dropFirst() {
    guard let entry = entries.popFirst() else { return }
    dropped.append(entry)
    guard let step = entry.event.step else { return }
    if let initialState { droppedStates.append(initialState) }
    initialState = step.state
  }

  override func takeDropped(_ locked: (_ take: () -> Void) -> Void) {
    var released: (entries: [Entry], states: [State]) = ([], [])
    locked {
      swap(&released.entries, &dropped)
      swap(&released.states, &droppedStates)
    }
    withExtendedLifetime(released) {}
  }
}
