/// The events of a run, to be compared with those of another run of the same seed.
final class RunTrace {
  /// A job that has run.
  struct Event: Equatable {
    let time: UInt64
    /// The index of the machine; -1 for the world itself.
    let machine: Int32
    let kind: JobQueue.LaneKind
    /// The hash and the state of the generator after the job.
    let hash: UInt64
    let random: UInt64
  }

  private var events: [Event] = []
  /// The names of the machines, by their indices.
  private var names: [Int32: String] = [:]
  private let first: RunTrace?

  /// - Parameter first: run that is compared with; nil for the first one.
  init(comparedWith first: RunTrace? = nil) { self.first = first }

  /// Adds an event; returns the problem when it is another one than in the first run.
  func add(_ event: Event, in world: WorldCore) -> SimulationProblem? {
    defer { events.append(event) }
    if event.machine >= 0, names[event.machine] == nil {
      names[event.machine] = world.machines[Int(event.machine)].name
    }
    guard let first else { return nil }
    guard events.count < first.events.count else {
      return .differs(job: events.count + 1, first: "the end", second: name(event))
    }
    let other = first.events[events.count]
    if other == event { return nil }
    let (firstName, second) = (first.name(other), name(event))
    return .differs(
      job: events.count + 1, first: firstName,
      second: firstName == second ? second + ", with other data" : second)
  }

  /// The problem when the first run has had more events.
  func end() -> SimulationProblem? {
    guard let first, events.count < first.events.count else { return nil }
    return .differs(
      job: events.count + 1, first: first.name(first.events[events.count]), second: "the end")
  }

  private func name(_ event: Event) -> String {
    let text = names[event.machine].map { "\($0), \(event.kind.name)" } ?? event.kind.name
    return "\(SimulationEvent(time: event.time, text: text))"
  }
}
