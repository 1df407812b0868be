/// The jobs of a simulation that are ready or wait for their time.
///
/// A lane runs its jobs in their order, as a dispatch queue or an event loop does. Of several lanes with
/// ready jobs any may be the next one.
struct JobQueue {
  /// What runs the jobs of a lane.
  enum LaneKind: UInt8 {
    case network, eventLoop, mainQueue, queue, concurrent, task

    var name: String {
      switch self {
      case .network: "the network, a fault or a condition"
      case .eventLoop: "event loop"
      case .mainQueue: "main queue"
      case .queue: "serial queue"
      case .concurrent: "concurrent queue"
      case .task: "task"
      }
    }
  }

  /// Jobs that run one after the other.
  final class Lane {
    /// The process whose lane this is; nil for the world itself.
    fileprivate(set) var process: SimulatedProcess?
    /// The number of the lane in the hash.
    fileprivate(set) var number: UInt64
    fileprivate(set) var kind: LaneKind
    /// Whether it is for one job, and used again for another one.
    fileprivate let isForOneJob: Bool
    fileprivate var jobs = Fifo<() -> Void>()

    fileprivate init(
      _ process: SimulatedProcess?, _ number: UInt64, _ kind: LaneKind, isForOneJob: Bool
    ) {
      (self.process, self.number, self.kind) = (process, number, kind)
      self.isForOneJob = isForOneJob
    }

    var hasJobs: Bool { !jobs.isEmpty }

    /// Releases the process, which has ended.
    func leave() { process = nil }
  }

  private struct Timer {
    let time: UInt64
    let sequence: UInt64
    let lane: Lane
    let job: () -> Void

    static func precedes(_ lhs: Timer, _ rhs: Timer) -> Bool {
      (lhs.time, lhs.sequence) < (rhs.time, rhs.sequence)
    }
  }

  private var ready: [Lane] = []
  /// The lanes with jobs of processes that are paused.
  private var paused: [Lane] = []
  private var timers = Heap<Timer>()
  private var unused: [Lane] = []
  private var sequence: UInt64 = 0
  private var laneCount: UInt64 = 0

  mutating func makeLane(of process: SimulatedProcess?, _ kind: LaneKind) -> Lane {
    laneCount += 1
    return Lane(process, laneCount, kind, isForOneJob: false)
  }

  /// A lane for one job, to which a job is appended once.
  mutating func makeLaneOfOneJob(of process: SimulatedProcess?, _ kind: LaneKind) -> Lane {
    laneCount += 1
    guard let lane = unused.popLast() else {
      return Lane(process, laneCount, kind, isForOneJob: true)
    }
    (lane.process, lane.number, lane.kind) = (process, laneCount, kind)
    return lane
  }

  /// Takes back the lane of a job that has run.
  mutating func hasRun(_ lane: Lane) {
    guard lane.isForOneJob else { return }
    lane.process = nil
    unused.append(lane)
  }

  /// Appends a job to a lane.
  mutating func append(_ job: @escaping () -> Void, to lane: Lane) {
    if !lane.hasJobs {
      if lane.process?.isPaused == true { paused.append(lane) } else { ready.append(lane) }
    }
    lane.jobs.append(job)
  }

  /// Appends a job to a lane at a later time.
  mutating func append(_ job: @escaping () -> Void, to lane: Lane, at time: UInt64) {
    sequence += 1
    timers.insert(
      Timer(time: time, sequence: sequence, lane: lane, job: job), by: Timer.precedes)
  }

  var hasReadyJobs: Bool { !ready.isEmpty }

  /// The time of the next job that waits.
  var nextTime: UInt64? { timers.first?.time }

  /// Makes the jobs ready whose time has come.
  mutating func moveDue(at now: UInt64) {
    while let first = timers.first, first.time <= now {
      guard let timer = timers.popFirst(by: Timer.precedes) else { return }
      append(timer.job, to: timer.lane)
    }
  }

  /// Removes the next job of any lane; nil when none is ready.
  mutating func popFirst(_ order: inout JobOrder) -> (job: () -> Void, lane: Lane)? {
    if ready.isEmpty { return nil }
    let index = ready.count == 1 ? 0 : choose(&order)
    let lane = ready[index]
    guard let job = lane.jobs.popFirst() else { return nil }
    if !lane.hasJobs {
      ready.swapAt(index, ready.count - 1)
      ready.removeLast()
    }
    return (job, lane)
  }

  private func choose(_ order: inout JobOrder) -> Int {
    order.choose(below: ready.count)
  }

  /// Moves the ready jobs of a process behind its pause, or out of it.
  mutating func pausedChanged(of process: SimulatedProcess) {
    let lanes = process.isPaused ? ready : paused
    let moved = lanes.filter { $0.process === process }
    let others = lanes.filter { $0.process !== process }
    if process.isPaused {
      (ready, paused) = (others, paused + moved)
    } else {
      (ready, paused) = (ready + moved, others)
    }
  }

  /// Removes the jobs of a process; the caller releases them, because what they keep may add jobs.
  mutating func removeAll(of process: SimulatedProcess) -> [() -> Void] {
    var removed: [() -> Void] = []
    for lane in ready + paused where lane.process === process {
      while let job = lane.jobs.popFirst() { removed.append(job) }
    }
    ready.removeAll { $0.process === process }
    paused.removeAll { $0.process === process }
    timers.removeAll(
      where: { timer in
        guard timer.lane.process === process else { return false }
        removed.append(timer.job)
        return true
      }, by: Timer.precedes)
    return removed
  }
}

/// Chooses which of the ready jobs is the next one.
struct JobOrder {
  private var random: SimulationRandom
  private let given: [Int]?
  /// The number of jobs among which each choice was made; empty when they are drawn.
  private(set) var counts: [Int] = []

  /// - Parameter given: the choices; the first job when there are no more of them; nil when they are drawn.
  init(_ random: SimulationRandom, given: [Int]?) { (self.random, self.given) = (random, given) }

  /// The state of the generator.
  var state: UInt64 { random.state }

  mutating func choose(below count: Int) -> Int {
    guard let given else { return random.index(below: count) }
    defer { counts.append(count) }
    return counts.count < given.count ? min(max(given[counts.count], 0), count - 1) : 0
  }
}
