#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// A composer that the inspector observes, and its events, without its types.
final class ComposerRecord: EventSource, @unchecked Sendable {
  // `initialState` to `rate` are protected by the lock of the log.
  /// The state when the recording began, until the first step is dropped; nil when it is not known.
  private var initialState: (any Sendable)?
  /// The last step that was dropped.
  private var droppedStep: RecordedStep?
  /// The effects that run, and the last ones that have ended.
  @exclusivity(unchecked) private(set) var ledger = EffectLedger()
  /// The number of all steps, including those that were dropped.
  @exclusivity(unchecked) private(set) var stepCount = 0
  private var rate: StepRate

  /// The name of the composer's type, with its module and the types around it; nil for a file without it.
  let qualifiedTypeName: String?
  /// The composer with its types.
  let types: ComposerTypes
  /// The composer and the event from whose state this one was forked; nil for one of the program.
  let forkedFrom = Locked<(composer: Int, event: Int)?>(nil)
  private let hasEnded = Atomic(false)
  // The log releases its sources when it closes.
  private let log: EventLog

  init(
    _ types: ComposerTypes, name: String, typeName: String?, number: Int, in log: EventLog,
    at now: Date
  ) {
    self.types = types
    self.log = log
    qualifiedTypeName = typeName
    rate = StepRate(at: now)
    super.init(number: number, name: name)
  }

  /// Begins the recording; called where the composer reduces.
  func begin() {
    let state = types.currentState
    log.withLock { _ in initialState = state }
  }

  /// Gives the end of an effect what is known by its start.
  override func completed(_ event: ProgramEvent) -> ProgramEvent {
    guard case .effect(.ended(let number, let end, _)) = event, let effect = ledger.running[number]
    else { return event }
    return .effect(.ended(number, end.known(of: effect), effect.name))
  }

  override func note(
    _ event: LoggedEvent, _ number: Int, _ details: SocketDetails?, endedEffectLimit: Int
  ) {
    if event.kind == .step {
      stepCount += 1
      if event.stepSource != .effect { return }
    }
    ledger.note(event.event, number, event.time, endedLimit: endedEffectLimit)
  }

  /// Notes that the composer has been released.
  func end() { hasEnded.store(true, ordering: .relaxed) }

  override var isLive: Bool { !hasEnded.load(ordering: .relaxed) }

  override func stop() {
    types.stopObserving()
  }

  /// The name of the composer's type, with the types around it and without its module; the name of a file
  /// that does not have it.
  var typeName: String {
    guard let qualifiedTypeName else { return name }
    let parts = qualifiedTypeName.split(separator: ".", maxSplits: 1)
    return parts.count == 2 && !parts[0].contains("<") ? String(parts[1]) : qualifiedTypeName
  }

  /// The number of effects that run; called under the lock.
  ///
  /// Those of a file without an end do not run: the recording ended before them.
  var runningEffectCount: Int { types.isOfFile ? 0 : ledger.running.count }

  /// The steps a second until now; called under the lock.
  func stepsPerSecond(at now: Date) -> Double { rate.update(stepCount, at: now) }

  // MARK: Events

  /// The state before the first event that is kept; nil when it is not known.
  var firstState: (any Sendable)? { droppedStep?.state ?? initialState }

  override func drop(_ event: ProgramEvent, _ released: inout ReleasedEvents) {
    guard let step = event.step else { return super.drop(event, &released) }
    dropFirstState(&released)
    droppedStep = step
  }

  override func dropFirstState(_ released: inout ReleasedEvents) {
    if let state = initialState.take() { released.states.append(state) }
    if let step = droppedStep.take() { released.events.append(.step(step)) }
  }

  // MARK: Recordings

  /// The events in this range as a timeline, beginning with the state before them.
  ///
  /// - Parameter stepsOnly: whether the events of effects are left out.
  func recording(
    _ range: ClosedRange<Int>, stepsOnly: Bool
  ) throws(RecordingError) -> any RecordedTimeline {
    let (found, given) = log.withLock { log -> ([LoggedEvent], (any Sendable)?) in
      (
        log.events(of: self, in: range).map { log[$0] },
        log.state(of: self, at: range.lowerBound - 1)?.state
      )
    }
    guard found.contains(where: { $0.event.step != nil }) else { throw .noSteps }
    let events = stepsOnly ? found.filter { $0.event.step != nil } : found
    guard let timeline = types.timeline(of: events, after: given) else {
      throw .notCodable(composer: name)
    }
    return timeline
  }
}
