#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// A composer that the inspector observes, and its events, without its types.
final class ComposerRecord: EventSource, @unchecked Sendable {
  /// What happened to the composer.
  enum Event: Sendable {
    case step(RecordedStep)
    case started(effect: Int, EffectOrigin, id: String?)
    case ended(effect: Int, EffectOutcome)

    var step: RecordedStep? { if case .step(let step) = self { step } else { nil } }
  }

  // `queue` to `rate` are protected by the lock of the log.
  private var queue = EventQueue<Event>()
  private var droppedStates: [any Sendable] = []
  /// The state before the first entry; nil when it is not known.
  private var initialState: (any Sendable)?
  /// The effects that run, and the last ones that have ended.
  private(set) var ledger = EffectLedger()
  /// The number of all steps, including those that were dropped.
  private(set) var stepCount = 0
  private var rate: StepRate

  /// The name of the composer's type, with its module and the types around it.
  let qualifiedTypeName: String
  /// The composer with its types.
  let types: ComposerTypes
  /// The composer and the event from whose state this one was forked; nil for one of the program.
  let forkedFrom = Locked<(composer: Int, event: Int)?>(nil)
  private let sizer = Locked(EventSizer())
  private let hasEnded = Atomic(false)
  private let hasStopped = Atomic(false)
  // Weak: a composer may outlive the inspector.
  private weak let log: EventLog?

  init(
    _ types: ComposerTypes, name: String, typeName: String, number: Int, in log: EventLog,
    at now: Date
  ) {
    self.types = types
    self.log = log
    qualifiedTypeName = typeName
    initialState = types.currentState
    rate = StepRate(at: now)
    super.init(number: number, name: name)
  }

  /// Records an event.
  func record(_ event: Event, at time: Date) {
    guard !hasStopped.load(ordering: .relaxed), let log else { return }
    let bytes = sizer.withLock { $0.next(event) }
    let delivered = DeliveredEvent.current(in: log)
    log.append(of: self, bytes: bytes) { number in
      queue.append(.init(number: number, time: time, event: event, deliveredEvent: delivered))
      if case .step = event { stepCount += 1 }
      ledger.note(event, number, time)
    }
  }

  /// Notes that the composer has been released.
  func end() { hasEnded.store(true, ordering: .relaxed) }

  override var isLive: Bool { !hasEnded.load(ordering: .relaxed) }

  override func stop() {
    hasStopped.store(true, ordering: .relaxed)
    types.stopObserving()
    var released: (queue: EventQueue<Event>, state: (any Sendable)?) = (EventQueue(), nil)
    log?.withLock {
      swap(&released.queue, &queue)
      swap(&released.state, &initialState)
    }
    let sizer = sizer.replace(with: EventSizer())
    // Released here, outside the locks.
    withExtendedLifetime((released, sizer)) {}
  }

  /// The name of the composer's type.
  var typeName: String { String(qualifiedTypeName.split(separator: ".").last ?? "") }

  /// The steps a second until now; called under the lock.
  func stepsPerSecond(at now: Date) -> Double { rate.update(stepCount, at: now) }

  // MARK: Events

  override var isEmpty: Bool { entries.isEmpty }

  private var entries: Fifo<EventQueue<Event>.Entry> { queue.entries }

  private func head(_ entry: EventQueue<Event>.Entry) -> EventHead {
    let kind: EventHead.Kind =
      switch entry.event {
      case .step(let step): .step(step.number, step.source)
      case .started(let effect, let origin, let id): .started(effect: effect, origin, id: id)
      case .ended(let effect, let outcome): .ended(effect: effect, outcome)
      }
    return EventHead(
      number: entry.number, source: number, time: entry.time, kind: kind,
      deliveredEvent: entry.deliveredEvent)
  }

  /// The last step before this offset.
  private func lastStep(before offset: Int) -> (event: Int, step: RecordedStep)? {
    for offset in (0..<offset).reversed() {
      if let step = entries[offset].event.step { return (entries[offset].number, step) }
    }
    return nil
  }

  override func head(_ number: Int) -> EventHead? {
    queue.offset(of: number).map { head(entries[$0]) }
  }

  override func event(_ number: Int) -> RecordedEvent? {
    guard let offset = queue.offset(of: number) else { return nil }
    let entry = entries[offset]
    guard let step = entry.event.step else {
      return RecordedEvent(head: head(entry), actions: [], change: nil, before: nil, after: nil)
    }
    return RecordedEvent(
      head: head(entry), actions: step.actions.map { types.shown($0) }, change: step.change,
      before: (lastStep(before: offset)?.step.state ?? initialState).map { types.shown($0) },
      after: types.shown(step.state))
  }

  /// The number of the event of a step; nil when it is dropped; called under the lock.
  func event(ofStep step: Int) -> Int? {
    // An entry that is no step is ordered by the last step before it.
    let offset = entries.firstOffset { (lastStep(before: $0 + 1)?.step.number ?? 0) >= step }
    guard offset < entries.count, entries[offset].event.step?.number == step else { return nil }
    return entries[offset].number
  }

  /// The last step at this event or before it, and the state after it; called under the lock.
  ///
  /// Event 0 stands for the state before the first event that is kept.
  func state(at event: Int) -> (event: Int, state: any Sendable)? {
    let last = lastStep(before: entries.firstOffset { entries[$0].number > event })
    if let last { return (last.event, last.step.state) }
    return initialState.map { (0, $0) }
  }

  /// Calls `body` with the heads of the events from this number on, until it returns false; called
  /// under the lock.
  func forEachHead(from event: Int, _ body: (EventHead) -> Bool) {
    for offset in queue.firstOffset(from: event)..<entries.count
    where !body(head(entries[offset])) {
      return
    }
  }

  override func dropFirst() {
    guard let step = queue.dropFirst()?.event.step else { return }
    if let initialState { droppedStates.append(initialState) }
    initialState = step.state
  }

  override func takeDropped(_ locked: (_ take: () -> Void) -> Void) {
    var released: (entries: [EventQueue<Event>.Entry], states: [any Sendable]) = ([], [])
    locked {
      released.entries = queue.takeDropped()
      swap(&released.states, &droppedStates)
    }
    withExtendedLifetime(released) {}
  }

  // MARK: Recordings

  /// The events in this range as a timeline, beginning with the state before them.
  ///
  /// - Parameter stepsOnly: whether the events of effects are left out.
  func recording(
    _ range: ClosedRange<Int>, stepsOnly: Bool
  ) throws(RecordingError) -> any RecordedTimeline {
    guard let log else { throw .noSteps }
    let (found, given) = log.withLock { () -> ([(Date, Event)], (any Sendable)?) in
      let start = queue.firstOffset(from: range.lowerBound)
      let found = (start..<entries.count).map { entries[$0] }
        .prefix { $0.number <= range.upperBound }
      return (
        found.map { ($0.time, $0.event) }, lastStep(before: start)?.step.state ?? initialState
      )
    }
    guard found.contains(where: { $0.1.step != nil }) else { throw .noSteps }
    let events = stepsOnly ? found.filter { $0.1.step != nil } : found
    guard let timeline = types.timeline(of: events, after: given) else {
      throw .notCodable(composer: name)
    }
    return timeline
  }
}
