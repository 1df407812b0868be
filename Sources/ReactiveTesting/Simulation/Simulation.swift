/// A run of whole programs in a world of its own: with its hosts, their network and their faults, decided by
/// one seed.
///
/// ```swift
/// try Simulation(seed: 81_723, for: .seconds(7_200)) { world in
///   let server = world.host("server") { _ in try ChatServer(host: "", port: 8080) }
///   let phones = (1...20).map { number in
///     world.host("phone \(number)") { _ in Phone("ws://server:8080/") }
///   }
///   world.faults(.network(.occasional), .crashes(.rare), .clockSkew)
///   world.always("nothing is shown twice") { phones.allSatisfy { $0.hasNoDoubles ?? true } }
/// }
/// ```
///
/// Everything runs on the calling thread, in virtual time. The same seed gives the same run.
public struct Simulation: Sendable {
  /// The seed of the run.
  public let seed: UInt64
  /// The hash of all that has happened: the same for the same seed.
  public let hash: UInt64
  /// The number of jobs that have run.
  public let jobCount: Int
  /// What has happened, one line for each event; empty unless it was asked for.
  public let story: [SimulationEvent]
  /// How often each kind of fault has happened.
  public let faultCounts: [SimulatedFault.Kind: Int]

  /// Runs a simulation.
  ///
  /// All that happens on the hosts is decided by the seed, as far as this package does it. What it finds
  /// that is not is a failure: see <doc:SimulatingApps>.
  ///
  /// - Parameters:
  ///   - seed: number that decides all that happens by chance.
  ///   - duration: time during which faults happen, a century at most; what shall hold after them has time
  ///     behind it.
  ///   - part: hosts, faults and actions that are there: all.
  ///   - keepsStory: whether ``story`` has the events.
  ///   - patience: real time that one job of a host, or a closure of yours, may take: 10 s. What takes longer
  ///     waits for something real; within twice that time a line on standard error names its host, because
  ///     nothing can end it.
  ///   - setUp: adds hosts, faults and conditions.
  /// - Throws: ``SimulationFailure``.
  @discardableResult
  public init(
    seed: UInt64, for duration: Duration, only part: SimulationPart = .all,
    keepsStory: Bool = false, patience: Duration = .seconds(10),
    _ setUp: (SimulatedWorld) throws -> Void
  ) throws(SimulationFailure) {
    try self.init(seed, duration, part, keepsStory, patience, nil, setUp)
  }

  /// Runs a simulation twice, and fails when the second run differs from the first one.
  ///
  /// It finds what depends on something that the seed does not decide, such as `Int.random(in:)`, `UUID()`,
  /// `Date()` or the order of a `Set`, once it has changed what is sent or when something happens. What is only
  /// stored in a state is not compared.
  ///
  /// - Parameters:
  ///   - seed: number that decides all that happens by chance.
  ///   - duration: time during which faults happen.
  ///   - part: hosts, faults and actions that are there: all.
  ///   - keepsStory: whether ``story`` has the events.
  ///   - patience: real time that one job of a host, or a closure of yours, may take: 10 s.
  ///   - setUp: adds hosts, faults and conditions; called for each run.
  /// - Throws: ``SimulationFailure``; with ``SimulationProblem/differs(job:first:second:)`` for runs that
  ///   differ.
  @discardableResult
  public static func twice(
    seed: UInt64, for duration: Duration, only part: SimulationPart = .all,
    keepsStory: Bool = false, patience: Duration = .seconds(10),
    _ setUp: (SimulatedWorld) throws -> Void
  ) throws(SimulationFailure) -> Simulation {
    let first = RunTrace()
    _ = try Simulation(seed, duration, part, false, patience, first, setUp)
    return try Simulation(
      seed, duration, part, keepsStory, patience, RunTrace(comparedWith: first), setUp)
  }

  private init(
    _ seed: UInt64, _ duration: Duration, _ part: SimulationPart, _ keepsStory: Bool,
    _ patience: Duration, _ trace: RunTrace?, _ setUp: (SimulatedWorld) throws -> Void
  ) throws(SimulationFailure) {
    let core = WorldCore(seed: seed, part: part)
    core.trace = trace
    try core.watch.watching(core, patience: patience) { () throws(SimulationFailure) in
      try Self.run(core, duration, setUp)
    }
    self.seed = seed
    hash = core.hash.value
    jobCount = core.eventCount
    story = keepsStory ? core.story : []
    faultCounts = core.faultCounts
  }

  private static func run(
    _ core: WorldCore, _ duration: Duration, _ setUp: (SimulatedWorld) throws -> Void
  ) throws(SimulationFailure) {
    let world = SimulatedWorld(core)
    let connections = ConnectionChecks(core)
    let composers = ComposerChecks(core)
    let observations = CompositeDisposable(disposables: [SocketTaps.observe(connections)])
    if core.seed.isMultiple(of: 2) { _ = observations.insert(StoreBindings.observe(composers)) }
    core.checkSecond = {
      connections.check()
      composers.check()
    }
    defer {
      core.end()
      world.end()
      observations.dispose()
    }
    do throws(SimulationProblem) {
      if let problem = TaskHooks.install() { throw problem }
      do { try setUp(world) } catch { throw .thrown("\(error)") }
      try check(core.part, world)
      try check(duration, "The time of the simulation")
      for condition in world.eventually {
        try check(condition.limit, "The time for \"\(condition.name)\"")
      }
      try run(world, for: duration)
      if let difference = core.trace?.end() { throw difference }
    } catch {
      throw SimulationFailure(core, duration, error)
    }
  }

  private static func check(_ duration: Duration, _ name: String) throws(SimulationProblem) {
    guard duration >= .zero, duration <= .seconds(100 * 366 * 86_400) else {
      throw .thrown("\(name) is \(duration), and shall be between zero and a century.")
    }
  }

  private static func check(
    _ part: SimulationPart, _ world: SimulatedWorld
  ) throws(SimulationProblem) {
    let others = part.hosts?.subtracting(world.core.machines.map(\.name)) ?? []
    if let other = others.min() {
      throw .thrown("The part has the host \"\(other)\", which is not one of the simulation.")
    }
  }

  private static func run(
    _ world: SimulatedWorld, for duration: Duration
  ) throws(SimulationProblem) {
    let core = world.core
    world.begin()
    let early = world.eventually.filter { !$0.isAfterFaults }
    try wait(for: early, in: core, upTo: duration.nanoseconds)
    try core.run(until: duration.nanoseconds)
    world.endFaults()
    let late = world.eventually.filter(\.isAfterFaults)
    try wait(for: late, in: core, upTo: .max)
    try core.finish()
  }

  /// Runs until the conditions have held, each within its time.
  private static func wait(
    for conditions: [SimulatedWorld.EventualCondition], in core: WorldCore, upTo end: UInt64
  ) throws(SimulationProblem) {
    let start = core.now
    var waiting = conditions
    while true {
      waiting.removeAll { $0.holds() }
      guard let next = waiting.map({ start.addingClamped($0.limit.nanoseconds) }).min() else {
        return
      }
      let deadline = min(next, end)
      if core.now >= deadline {
        let missed = waiting.first { start.addingClamped($0.limit.nanoseconds) <= deadline }
        throw .missed(
          missed?.name ?? waiting[0].name, within: .nanoseconds(Int64(deadline - start)))
      }
      // A tenth of a second at a time, or until the next job: a condition holds when it holds once.
      let nextJob = core.jobs.hasReadyJobs ? 0 : core.jobs.nextTime ?? deadline
      try core.run(until: min(deadline, max(core.now + 100_000_000, nextJob)))
    }
  }
}
