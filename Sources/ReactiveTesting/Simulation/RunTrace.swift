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
  private let expected: [Event]?

  /// - Parameter first: run that is compared with; nil for the first one.
  init(comparedWith first: RunTrace? = nil) { expected = first?.events }

  /// Adds an event; returns the problem when it is another one than in the first run.
  func add(_ event: Event, in world: WorldCore) -> SimulationProblem? {
    defer { events.append(event) }
    guard let expected else { return nil }
    guard events.count < expected.count else {
      return .differs(job: events.count + 1, first: "the end", second: name(event, world))
    }
    let other = expected[events.count]
    if other == event { return nil }
    let (first, second) = (name(other, world), name(event, world))
    return .differs(
      job: events.count + 1, first: first,
      second: first == second ? second + ", with other data" : second)
  }

  /// The problem when the first run has had more events.
  func end(in world: WorldCore) -> SimulationProblem? {
    guard let expected, events.count < expected.count else { return nil }
    return .differs(
      job: events.count + 1, first: name(expected[events.count], world), second: "the end")
  }

  private func name(_ event: Event, _ world: WorldCore) -> String {
    let machine = event.machine < 0 ? nil : world.machines[Int(event.machine)].name
    let text = machine.map { "\($0), \(event.kind.name)" } ?? event.kind.name
    return "\(SimulationEvent(time: event.time, text: text))"
  }
}
