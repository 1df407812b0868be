import Foundation
import Synchronization

/// The state of a simulation: its time, its jobs, its numbers and what has happened.
///
/// All is used on the thread that runs the simulation.
final class WorldCore: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private(set) var order: JobOrder
  var jobs = JobQueue()
  private(set) var now: UInt64 = 0
  private(set) var hash = SimulationHash()
  private(set) var eventCount = 0
  private(set) lazy var network = SimulatedNetwork(self)
  private(set) var machines: [SimulatedMachine] = []
  private var numbers: UInt64 = 0
  /// The jobs that have run within a moment, and when that has begun.
  private var turnsAtOnce = 0
  private var momentStart: UInt64 = 0
  // Set by any thread.
  private let foundProblem = Locked<SimulationProblem?>(nil)
  private let hasProblem = Atomic(false)
  private let thread = threadIdentity()
  /// The number of the fault that happens, until its first note.
  private var notedFault: Int?
  private(set) var faultCount = 0
  private(set) var actionCount = 0
  private(set) var faultCounts: [SimulatedFault.Kind: Int] = [:]
  let seed: UInt64
  /// The faults and actions that happen, and the hosts that are there.
  let part: SimulationPart
  /// Compares the run with another one.
  var trace: RunTrace?
  /// Finds what waits for something real.
  let watch = SimulationWatch()
  /// The steps of composers within the moment.
  private var stepsAtOnce = 0
  /// The place of the current action in the story.
  private var actionPlace: Int?
  /// Called about once in each second that has jobs.
  var checkSecond: () -> Void = {}
  private var lastCheck: UInt64 = 0
  /// Reads the states that are counted; nil for none.
  var observed: (() -> Void)?
  /// Called after each job.
  var check: () throws -> Void = {}
  /// What has happened.
  private(set) var story: [SimulationEvent] = []
  private var endedProcesses: [SimulatedProcess] = []

  /// 2026-01-01, in seconds since 1970.
  static let epoch: Double = 1_767_225_600

  /// The most jobs within a moment, and its length in nanoseconds: a timer may have no delay, or almost none.
  private static let mostTurnsAtOnce = 1_000_000
  private static let moment: UInt64 = 10_000_000
  /// The most steps of composers within a moment.
  private static let mostStepsAtOnce = 250_000
  /// Those of them that tell which host repeats itself.
  private static let countedTurns = 1_000

  init(seed: UInt64, part: SimulationPart) {
    (self.seed, self.part) = (seed, part)
    order = JobOrder(SimulationRandom(seed: seed), given: part.order)
    hash.add(seed)
  }

  /// Whether the caller is on the thread of the simulation.
  var isOnThread: Bool { thread == threadIdentity() }

  /// Adds bytes that are sent to the hash.
  func hash(_ bytes: UnsafeRawBufferPointer) { hash.add(bytes) }

  func nextNumber() -> UInt64 {
    numbers += 1
    return numbers
  }

  func addMachine(_ name: String) -> SimulatedMachine {
    let machine = SimulatedMachine(
      name, machines.count, isAbsent: part.hosts.map { !$0.contains(name) } ?? false,
      numbers: numbers(for: .programs, machines.count),
      network: numbers(for: .segments, machines.count))
    machines.append(machine)
    watch.add(name)
    network.add(machine)
    return machine
  }

  // MARK: Numbers

  /// What draws numbers of its own, so that it draws the same whatever else happens.
  enum Purpose: UInt64 {
    case faults, actionTimes, actions, programs, segments
  }

  /// A generator of its own for a purpose.
  func numbers(for purpose: Purpose, _ number: Int, _ count: Int = 0) -> SimulationRandom {
    var state = seed
    for part in [purpose.rawValue + 1, UInt64(number), UInt64(count)] {
      var random = SimulationRandom(seed: state ^ part)
      state = random.next()
    }
    return SimulationRandom(seed: state)
  }

  /// The process whose code runs; nil for none of this world.
  var currentProcess: SimulatedProcess? {
    guard let process = SimulatedProcess.current, process.world === self else { return nil }
    return process
  }

  // MARK: Faults and actions

  /// Lets a fault happen, if it is one of the part.
  func happen(_ fault: FaultSource.Fault) {
    faultCount += 1
    guard part.faults?.contains(faultCount) ?? true else { return }
    notedFault = faultCount
    if fault.happen(self) { faultCounts[fault.kind, default: 0] += 1 }
    notedFault = nil
  }

  /// Runs an action, if it is one of the part.
  func act(_ action: () -> Void) {
    actionCount += 1
    if let actions = part.actions {
      guard actions.contains(actionCount) else { return }
      note("action \(actionCount)")
      actionPlace = story.count - 1
    }
    action()
    actionPlace = nil
  }

  /// Adds the name of a host on which the current action does something to its line.
  func noteActionHost(_ name: String) {
    guard let actionPlace else { return }
    let event = story[actionPlace]
    story[actionPlace] = SimulationEvent(
      time: event.time.nanoseconds,
      text: event.text + (event.text.contains(":") ? ", " : ": ") + name)
  }

  /// Counts a step of a composer; returns false when its job must not go on.
  func admitsStep(of machine: SimulatedMachine) -> Bool {
    stepsAtOnce += 1
    if stepsAtOnce <= Self.mostStepsAtOnce { return true }
    fail(.endless(host: machine.name, at: .nanoseconds(Int64(now))))
    return false
  }

  // MARK: Jobs

  /// Runs `job` after `delay` nanoseconds as one of the world, not of a host.
  func after(_ delay: UInt64, _ job: @escaping () -> Void) {
    let lane = jobs.makeLaneOfOneJob(of: nil, .network)
    if delay == 0 {
      jobs.append(job, to: lane)
    } else {
      jobs.append(job, to: lane, at: now.addingClamped(delay))
    }
  }

  /// Runs until `end`, or until something is wrong.
  func run(until end: UInt64) throws(SimulationProblem) {
    var counts: [Int: Int] = [:]
    while !hasProblem.load(ordering: .relaxed) {
      if let (job, lane) = jobs.popFirst(&order) {
        eventCount += 1
        hash.add(lane.number)
        turnsAtOnce += 1
        if turnsAtOnce > Self.mostTurnsAtOnce - Self.countedTurns {
          counts[lane.process?.machine.number ?? -1, default: 0] += 1
          if turnsAtOnce > Self.mostTurnsAtOnce { throw endless(counts) }
        }
        watch.begin(lane.process)
        job()
        watch.begin(nil)
        observed?()
        do { try check() } catch { throw error as? SimulationProblem ?? .thrown("\(error)") }
        if let trace, let difference = trace.add(event(of: lane), in: self) { throw difference }
        jobs.hasRun(lane)
      } else if let next = jobs.nextTime, next <= end {
        now = max(now, next)
        if now - momentStart >= Self.moment {
          (momentStart, turnsAtOnce, stepsAtOnce, counts) = (now, 0, 0, [:])
        }
        if now - lastCheck >= 1_000_000_000 {
          lastCheck = now
          checkSecond()
        }
        hash.add(now)
        jobs.moveDue(at: now)
      } else {
        now = end
        break
      }
    }
    try throwProblem()
  }

  /// Checks once more at the end what is checked in each second.
  func finish() throws(SimulationProblem) {
    checkSecond()
    try throwProblem()
  }

  private func throwProblem() throws(SimulationProblem) {
    if let problem = foundProblem.withLock({ $0 }) { throw problem }
  }

  private func endless(_ counts: [Int: Int]) -> SimulationProblem {
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? -1
    return .endless(
      host: most < 0 ? nil : machines[most].name, at: .nanoseconds(Int64(now)))
  }

  private func event(of lane: JobQueue.Lane) -> RunTrace.Event {
    RunTrace.Event(
      time: now, machine: Int32(lane.process?.machine.number ?? -1), kind: lane.kind,
      hash: hash.value, random: order.state &+ (lane.process?.machine.random.state ?? 0))
  }

  /// Ends the run with a problem, unless there is one already; called by any thread.
  func fail(_ problem: SimulationProblem) {
    foundProblem.withLock { $0 = $0 ?? problem }
    hasProblem.store(true, ordering: .relaxed)
  }

  /// Ends the processes, and drops the jobs, which keep the world.
  func end() {
    (check, checkSecond, observed) = ({}, {}, nil)
    for machine in machines {
      machine.process?.end(isMachineLost: true)
      machine.process = nil
    }
    // Released when the queue is another one: what they keep may add jobs.
    withExtendedLifetime(jobs) { jobs = JobQueue() }
    for process in endedProcesses { process.release() }
    endedProcesses = []
  }

  /// Keeps a process that has ended until the end, because its tasks may go on until then.
  func hasEnded(_ process: SimulatedProcess) { endedProcesses.append(process) }

  /// Notes what has happened.
  ///
  /// - Parameter hashed: the part of the text that is the same in each process; all of it by default.
  func note(_ text: @autoclosure () -> String, hashed: String? = nil) {
    let number = notedFault.map { "fault \($0): " } ?? ""
    let text = text()
    notedFault = nil
    hash.add(number + (hashed ?? text))
    story.append(SimulationEvent(time: now, text: number + text))
  }
}
