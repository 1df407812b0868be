/// Checks what holds for every composer of a simulation: each effect ends once, and with its composer; a reducer
/// gives the same state for the same action and the same state before.
///
/// A composer with a tool takes other paths than one without. So the runs of every second seed have none.
final class ComposerChecks: StoreBindings.Observer, @unchecked Sendable {
  // All is used on the thread of the simulation alone.
  private let world: WorldCore
  private var records: [EffectRecord] = []

  init(_ world: WorldCore) { self.world = world }

  func storeBound<State, Action>(_ store: TracedStore<State, Action>) {
    guard let process = world.currentProcess else { return }
    let record = EffectRecord(store, store.typeName, process)
    records.append(record)
    store.reducesTwice = true
    store.observe(record)
  }

  /// Checks the composers that have ended.
  func check() {
    records.removeAll { record in
      guard record.process.isAlive else { return true }
      guard record.store == nil else { return false }
      if let effect = record.running.min(by: { $0.key < $1.key })?.value {
        record.fail("an effect ends with its composer: one of \(effect)")
      }
      return true
    }
  }
}

/// The effects of a composer that run.
private final class EffectRecord: StoreObserver, @unchecked Sendable {
  // All is used on the thread of the simulation alone, or is immutable.
  private(set) weak var store: AnyObject?
  let process: SimulatedProcess
  private let composer: String
  private(set) var running: [Int: String] = [:]
  private var stepCount = 0

  init(_ store: AnyObject, _ composer: String, _ process: SimulatedProcess) {
    (self.store, self.composer, self.process) = (store, composer, process)
  }

  func stepped(_ step: RecordedStep) {}

  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?) {
    guard process.isAlive, process.world.isOnThread else { return }
    if running.updateValue("\(origin)", forKey: number) != nil { fail("an effect starts once") }
  }

  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?) {
    guard process.isAlive, process.world.isOnThread else { return }
    if running.removeValue(forKey: number) == nil { fail("an effect ends once") }
  }

  func reduced<State, Action>(_ action: Action, _ state: State, again: State) {
    guard process.isAlive, process.world.isOnThread, isDue(State.self is any Equatable.Type),
      let difference = changes(from: state, to: again).first, "\(state)" != "\(again)"
    else { return }
    fail("a reducer gives the same state again", detail: "\(difference), for \(action)")
  }

  /// Whether the next pair of states is compared: of those that are not Equatable only the first ones and every
  /// eighth, because that takes long.
  private func isDue(_ isFast: Bool) -> Bool {
    stepCount += 1
    return isFast || stepCount < 100 || stepCount % 8 == 0
  }

  func fail(_ rule: String, detail: String = "") {
    process.world.fail(
      .violated("\(rule), in \(composer) at \(process.machine.name)", detail: detail))
  }
}
