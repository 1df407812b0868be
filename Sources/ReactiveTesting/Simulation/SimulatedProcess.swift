import Dispatch
import Foundation
import Synchronization

/// One run of a host's program: its queues, its event loop and its tasks.
///
/// Its objects are used on the thread of the simulation alone, except for what reports other threads.
final class SimulatedProcess: HostOperations, HostNetwork, HostFiles, LoopHost, @unchecked Sendable
{
  let world: WorldCore
  let machine: SimulatedMachine
  private let reference = ProcessReference()
  private let tasks: SimulatedTasks
  private lazy var loopLane = world.jobs.makeLane(of: self, .eventLoop)
  private var lanes: [HostQueue: JobQueue.Lane] = [:]
  private(set) var currentQueue: HostQueue?
  private(set) lazy var files: any FileSystem = SimulatedFiles(self, reference)
  private let hasEnded = Atomic(false)
  /// The program, released with the process.
  var program: Any?
  /// Whether its jobs wait, while the network and its clock go on.
  var isPaused = false {
    didSet {
      if isPaused == oldValue { return }
      world.jobs.pausedChanged(of: self)
      if isPaused { pauseStart = world.now } else { pausedTime += world.now - pauseStart }
    }
  }
  private var pauseStart: UInt64 = 0
  private var pausedTime: UInt64 = 0
  /// The open connections and listeners.
  var sockets: [ObjectIdentifier: SimulatedSocket] = [:]
  var listeners: [UInt16: SimulatedListener] = [:]
  /// When the sleeping loop takes its next turn, or looks whether that is due.
  private var wakeTime: UInt64?
  /// The numbers of what the program does while it is released, which change no others.
  private var lateRandom = SimulationRandom(seed: 0)
  private var operations: [Int: (name: String, start: UInt64)] = [:]
  private var operationCount = 0

  /// What keeps the process, and is released when the simulation ends.
  private struct Parts {
    /// Nil once the process has ended, unless its objects still use one.
    var loop: EventLoop?
    let host: HostSystem
    let context: EffectContext
  }

  private var parts: Parts?

  init(on machine: SimulatedMachine, in world: WorldCore) {
    (self.machine, self.world) = (machine, world)
    tasks = SimulatedTasks(reference)
    reference.start(self)
    // Each process has values of its own, which are neither shared with other hosts nor outlive it.
    let name = machine.name
    var dependencies = Dependencies(
      in: RunningTest { world.fail(.unsteered(host: name, $0)) })
    dependencies.clock = SimulatedClock(reference)
    dependencies.random = .system
    dependencies.uuid = { UUID.random() }
    parts = Parts(
      loop: EventLoop(self, scratchSize: 65_536), host: HostSystem(self, services: self),
      context: EffectContext(dependencies, tasks))
    wakeLoop()
  }

  /// The time that it was not paused, in nanoseconds, since the beginning of the simulation.
  var runningTime: UInt64 { (isPaused ? pauseStart : world.now) - pausedTime }

  /// The process whose code runs; nil for none of a simulation.
  static var current: SimulatedProcess? { HostSystem.current?.services as? SimulatedProcess }

  /// Whether the process runs; one that has ended does not change the world any more.
  var isAlive: Bool { !hasEnded.load(ordering: .relaxed) }

  /// The host of code that runs; nil once the process has ended.
  var host: HostSystem? { parts?.host }

  /// Runs `body` as code of this process; does nothing once the simulation has ended.
  func run(on queue: HostQueue?, _ body: () -> Void) {
    guard let parts else { return }
    let outer = currentQueue
    currentQueue = queue
    defer { currentQueue = outer }
    parts.host.run { parts.context.run(body) }
  }

  // MARK: Other threads

  func isOnThread(for use: String) -> Bool {
    if world.isOnThread { return true }
    refuse(use)
    return false
  }

  /// Whether code of this process runs; otherwise `use` of one of its objects is reported.
  func admits(_ use: String) -> Bool {
    if let host, HostSystem.current === host { return true }
    refuse(use)
    return false
  }

  func refuse(_ use: String) {
    guard isAlive else { return }
    let caller =
      if !world.isOnThread {
        "another thread"
      } else if HostSystem.current == nil {
        "code that is not in \"perform\""
      } else {
        "another host"
      }
    world.fail(.unsteered(host: machine.name, "\(use) by \(caller)"))
  }

  func admitsStep() -> Bool { world.admitsStep(of: machine) }

  func begin(operation name: String) -> Int {
    guard isOnThread(for: "an operation is started") else { return 0 }
    operationCount += 1
    operations[operationCount] = (name, world.now)
    return operationCount
  }

  func end(operation number: Int) {
    if isAlive, isOnThread(for: "an operation ends") { operations[number] = nil }
  }

  /// The operations that have not ended, the oldest first.
  var unfinished: [String] {
    operations.sorted { $0.key < $1.key }.map { _, operation in
      let start = SimulationEvent(time: operation.start, text: machine.name)
      return "\(start): an operation of \(operation.name)"
    }
  }

  // MARK: HostOperations

  func note(unhandled error: any Error) {
    // Its text may have the order of a set or an address, which are others in each process.
    guard isAlive else { return }
    world.note(
      "\(machine.name): an error that nothing handles: \(error)",
      hashed: "\(machine.name): \(type(of: error))")
  }

  var taskExecutor: any TaskExecutor { tasks }

  var uptime: UInt64 { world.now }

  var date: Date {
    Date(timeIntervalSince1970: WorldCore.epoch + Double(world.now) / 1e9 + machine.clockError)
  }

  func random() -> UInt64 { isAlive ? machine.random.next() : lateRandom.next() }

  func enqueue(on queue: HostQueue?, after delay: UInt64, _ job: @escaping () -> Void) {
    guard isAlive, isOnThread(for: "a job is scheduled") else { return }
    guard let queue else {
      return add(job, to: world.jobs.makeLaneOfOneJob(of: self, .concurrent), nil, after: delay)
    }
    let lane =
      lanes[queue]
      ?? world.jobs.makeLane(of: self, queue == .main ? .mainQueue : .queue)
    lanes[queue] = lane
    add(job, to: lane, queue, after: delay)
  }

  func hasJobs(on queue: HostQueue) -> Bool { lanes[queue]?.hasJobs ?? false }

  private func add(
    _ job: @escaping () -> Void, to lane: JobQueue.Lane, _ queue: HostQueue?,
    after delay: UInt64
  ) {
    let turn: () -> Void = { [self] in run(on: queue, job) }
    if delay == 0 {
      world.jobs.append(turn, to: lane)
    } else {
      world.jobs.append(turn, to: lane, at: world.now.addingClamped(delay))
    }
  }

  /// Adds a job that the network has for the event loop.
  func enqueueOnLoop(_ job: @escaping @Sendable () -> Void) {
    if isAlive { run(on: nil) { loop.execute(job) } }
  }

  /// Runs a job of a task, after those that are ready.
  func enqueueTask(_ job: @escaping () -> Void) {
    add(job, to: world.jobs.makeLaneOfOneJob(of: self, .task), nil, after: 0)
  }

  // MARK: The event loop

  func wakeLoop() {
    if isAlive { add({ [self] in takeTurn() }, to: loopLane, nil, after: 0) }
  }

  private func takeTurn() {
    guard isAlive, let next = loop.takeTurn() else { return }
    guard next > 0 else { return wakeLoop() }
    let time = world.now.addingClamped(next)
    if let wakeTime, wakeTime <= time { return }
    wakeTime = time
    let wake: () -> Void = { [self] in
      // Another wake-up may have come in its place.
      guard wakeTime == time else { return }
      wakeTime = nil
      takeTurn()
    }
    add(wake, to: loopLane, nil, after: next)
  }

  // MARK: HostNetwork

  var loop: EventLoop {
    if let loop = parts?.loop { return loop }
    // What a program that has ended still does with sockets fails.
    let loop = EventLoop(self, scratchSize: 64)
    loop.endSimulated()
    parts?.loop = loop
    return loop
  }

  var tls: any TLSProvider { SimulatedTLS(name: machine.name) }

  func transport(to host: String, port: UInt16) -> any Transport {
    SimulatedTransport(self, to: host, port: port)
  }

  func listener(on address: String, port: UInt16) throws(TransportError) -> any Listener {
    guard let reach = machine.reach(of: address) else {
      throw .hostNotFound(host: address, reason: "\(machine.name) has no such address")
    }
    let port = port == 0 ? machine.freePort { listeners[$0] == nil } : port
    if listeners[port] != nil {
      throw .addressInUse(address: "\(machine.address):\(port)")
    }
    let listener = SimulatedListener(self, reach, port: port)
    listeners[port] = listener
    return listener
  }

  /// The connections, in their order; only those to `machine` unless it is nil.
  func connections(to machine: SimulatedMachine?) -> [SimulatedSocket] {
    sockets.values.filter { machine == nil || $0.peerMachine === machine }
      .sorted { $0.number < $1.number }
  }

  // MARK: The end

  /// Ends the process: its sockets are closed by the system, or only forgotten with its machine.
  ///
  /// - Parameter isMachineLost: whether the machine ends too, without a word to its peers.
  func end(isMachineLost: Bool) {
    guard isAlive else { return }
    for socket in connections(to: nil) {
      if isMachineLost { socket.vanish() } else { socket.close() }
    }
    (sockets, listeners) = ([:], [:])
    hasEnded.store(true, ordering: .relaxed)
    var jobs = world.jobs.removeAll(of: self)
    // What the program does while it is released changes the world no more.
    run(on: nil) {
      jobs.removeAll()
      program = nil
      loop.endSimulated()
    }
    parts?.loop = nil
    lanes = [:]
    loopLane.leave()
    world.hasEnded(self)
  }

  /// Releases the process, whose code runs no more: the simulation has ended.
  ///
  /// What remains of its tasks runs now, so that they release what they keep, and no condition sees it.
  func release() {
    tasks.drain { body in run(on: nil, body) }
    tasks.leave()
    reference.end()
    parts = nil
  }
}

/// The clock of a host.
final class SimulatedClock: SchedulerType, @unchecked Sendable {
  // The process is used on the thread of the simulation alone, and reports other threads.
  private let reference: ProcessReference
  private let queue = DispatchQueue(label: "clock")

  init(_ reference: ProcessReference) { self.reference = reference }

  private var process: SimulatedProcess? { reference.current }

  var now: RxTime { process?.date ?? Date(timeIntervalSince1970: WorldCore.epoch) }
  var uptimeNanoseconds: UInt64 { process?.uptime ?? 0 }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { scheduleRelative(state, dueTime: .nanoseconds(0), action: action) }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    guard let process, process.isAlive, process.admits("a timer is scheduled"),
      let host = process.host
    else { return Disposables.create() }
    return host.schedule(state, after: dueTime.nanoseconds, on: queue, action: action)
  }
}

extension UInt64 {
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? .max : sum
  }
}
