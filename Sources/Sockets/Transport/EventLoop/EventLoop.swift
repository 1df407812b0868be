import Synchronization

/// One thread that waits for many descriptors, runs jobs and fires timers.
///
/// A turn runs the fair jobs of each queue for 2 ms, waits for events, dispatches them, fires due
/// timers, runs the jobs, and runs the ends of turn. Nothing that the loop calls may block.
package final class EventLoop: @unchecked Sendable {
  package typealias Job = @Sendable () -> Void

  // `state`, `thread`, `threadID` and `lastLateness` protect themselves. Any thread may call the
  // poller's `wake`. All else is touched on the loop's thread only.
  private let state = Locked(LoopState())
  private let thread = Locked<SystemThread?>(nil)
  private let threadID = Atomic<UInt>(0)
  private let lastLateness = Atomic<UInt64>(0)
  /// Waits and wakes; nil for a loop of a simulation, whose host does.
  private let poller: Poller?
  private let host: (any LoopHost)?
  @exclusivity(unchecked) private var handlers = HandlerTable()
  @exclusivity(unchecked) private var turnEnds = TurnEnds()
  @exclusivity(unchecked) private var spareTurnEnds = TurnEnds()
  @exclusivity(unchecked) private var spareJobs: [Job] = []
  @exclusivity(unchecked) private var fairJobs = Fifo<Job>()
  @exclusivity(unchecked) private var fairHandshakes = Fifo<Job>()

  /// How long one queue's fair jobs run in a turn, in nanoseconds; the last job may exceed it.
  private static let fairShare: UInt64 = 2_000_000

  /// Memory that code called on the loop may use until it returns.
  ///
  /// Every connection reads into it, so an idle connection needs no buffer.
  package let scratch: UnsafeMutableRawBufferPointer

  /// A second block of the same size, for the output of code whose input is in `scratch`.
  ///
  /// The system provides the memory behind it on first use.
  let secondScratch: UnsafeMutableRawBufferPointer

  /// The process's loop, started when first used and never stopped; that of the simulated host whose code
  /// runs here.
  package static var shared: EventLoop { SocketHost.current?.loop ?? ofProcess }

  private static let ofProcess: EventLoop = {
    do {
      return try EventLoop(name: "Sockets")
    } catch {
      preconditionFailure("The event loop cannot start: \(error)")
    }
  }()

  /// Starts a loop, which lives until ``stop()``.
  ///
  /// - Parameter scratchSize: most bytes of one read of a connection
  /// - Throws: `TransportError.system` when the process is out of descriptors, threads or memory.
  package init(name: String, scratchSize: Int = 131_072) throws(TransportError) {
    poller = try Poller()
    host = nil
    scratch = .allocate(byteCount: scratchSize, alignment: 64)
    secondScratch = .allocate(byteCount: scratchSize, alignment: 64)
    let thread = try SystemThread(name: name) { [self] in run() }
    self.thread.withLock { $0 = thread }
  }

  /// A loop without a thread, whose host calls ``takeTurn()``: at first, after each wake-up, and when the
  /// turn before says so.
  package init(_ host: any LoopHost, scratchSize: Int = 131_072) {
    poller = nil
    self.host = host
    scratch = .allocate(byteCount: scratchSize, alignment: 64)
    secondScratch = .allocate(byteCount: scratchSize, alignment: 64)
  }

  deinit {
    scratch.deallocate()
    secondScratch.deallocate()
  }

  // MARK: From any thread

  /// Whether the caller is on this loop's thread.
  ///
  /// The check is one load and one comparison.
  package var isCurrent: Bool {
    // Relaxed is enough: only the loop's own thread can find its own identifier here.
    threadID.load(ordering: .relaxed) == threadIdentity()
  }

  /// Runs `job` on the loop, after the events of the turn; jobs of one thread run in order.
  ///
  /// Jobs added by a job run in the next turn. A stopped loop drops the job.
  package func execute(_ job: @escaping Job) {
    if let host, !host.admits("a job is added to its event loop") { return }
    if state.withLock({ $0.add(job) }) { wake() }
  }

  /// Runs `action` on the loop after `delay`: never early, usually within a millisecond.
  ///
  /// A stopped loop drops the action, before this returns.
  @discardableResult
  package func schedule(after delay: Duration, _ action: @escaping Job) -> LoopTimer {
    if let host, !host.admits("a timer is added to its event loop") {
      return LoopTimer(loop: self, action: nil)
    }
    let delay = RxTimeInterval(delay).nanoseconds
    let (deadline, overflows) = now.addingReportingOverflow(delay)
    let timer = LoopTimer(loop: self, action: action)
    switch state.withLock({ $0.add(timer, deadline: overflows ? .max : deadline) }) {
    case true?: wake()
    case false?: break
    // A caller that keeps the timer would keep what the action retains, perhaps itself.
    case nil: cancel(timer)
    }
    return timer
  }

  func cancel(_ timer: LoopTimer) {
    // Released here, without the lock: the action may hold the last reference to any object.
    _ = state.withLock { $0.cancel(timer) }
  }

  /// Ends the loop: pending jobs run, handlers receive `loopStopped`, timers are dropped.
  ///
  /// Returns when the thread has ended. Called on the loop itself, it returns at once, and the
  /// thread ends with this turn.
  package func stop() {
    if state.withLock({ $0.stop() }) { wake() }
    let ended = thread.withLock { $0.take() }
    if isCurrent { ended?.detach() } else { ended?.join() }
  }

  private func wake() {
    if let poller { poller.wake() } else { host?.wakeLoop() }
  }

  /// The time since a fixed moment, in nanoseconds.
  var now: UInt64 { host?.uptime ?? MonotonicClock.now }

  /// How late the last timer fired.
  var lag: Duration { .nanoseconds(Int64(clamping: lastLateness.load(ordering: .relaxed))) }

  // MARK: On the loop

  /// Calls `handler` once, after the events, timers and jobs of this turn.
  ///
  /// It allocates nothing, since connections call it for each read.
  func endOfTurn(_ handler: any TurnEndHandler) {
    preconditionOnLoop()
    turnEnds.append(handler)
  }

  /// Runs `job` once, after the events, timers and jobs of this turn.
  package func endOfTurn(_ job: @escaping () -> Void) { endOfTurn(TurnEndJob(job)) }

  /// The queues of fair jobs.
  ///
  /// Each queue has its own 2 ms of a turn.
  enum FairQueue {
    /// The work of connections that are open.
    case connections
    /// The cryptography of handshakes, which any peer can start: open connections do not wait
    /// for it.
    case handshakes
  }

  /// Runs `job` in a later turn: each turn runs the jobs of a queue in order, for 2 ms.
  ///
  /// Use it for work that can wait and repeats: connections with much work then do not delay those
  /// with little. A stopped loop drops the job.
  func executeFairly(_ queue: FairQueue = .connections, _ job: @escaping Job) {
    preconditionOnLoop()
    switch queue {
    case .connections: fairJobs.append(job)
    case .handshakes: fairHandshakes.append(job)
    }
  }

  /// Watches a descriptor until `deregister`; retains the handler.
  func register(
    _ descriptor: Int32,
    _ interest: Interest,
    _ handler: any EventHandler
  ) throws(TransportError) -> Registration {
    preconditionOnLoop()
    let token = handlers.insert(handler, descriptor: descriptor)
    do {
      try poller?.add(descriptor, interest, token: token)
    } catch {
      _ = handlers.remove(token)
      throw error
    }
    return Registration(token: token)
  }

  /// Retains a handler without a descriptor, and calls its `loopStopped` when the loop stops.
  package func register(_ handler: any EventHandler) -> Registration {
    preconditionOnLoop()
    return Registration(token: handlers.insert(handler))
  }

  /// Stops all calls to the handler, even for events already fetched.
  ///
  /// Call it before you close the descriptor: the system may reuse the number.
  package func deregister(_ registration: Registration) {
    preconditionOnLoop()
    if let descriptor = handlers.remove(registration.token)?.descriptor {
      poller?.remove(descriptor)
    }
  }

  package struct Registration {
    fileprivate let token: UInt64
  }

  private func preconditionOnLoop() {
    precondition(isCurrent, "Call this on the event loop's thread only.")
  }

  // MARK: The thread

  private func run() {
    threadID.store(threadIdentity(), ordering: .relaxed)
    while turn() {}
    end()
    // Identifiers of ended threads are reused.
    threadID.store(0, ordering: .relaxed)
  }

  private func end() {
    let (jobs, actions) = state.withLock { $0.end() }
    for job in jobs { job() }
    runTurnEnds()
    for handler in handlers.handlers { handler.loopStopped() }
    handlers = HandlerTable()
    fairJobs = Fifo()
    fairHandshakes = Fifo()
    // The actions release what they retain here, without the lock.
    withExtendedLifetime(actions) {}
  }

  /// Takes a turn; returns false when the loop is to end.
  private func turn() -> Bool {
    runFairJobs()
    guard let wait = state.withLock({ $0.beginWait(isBusy: isBusy) { now } }) else { return false }
    poller?.wait(nanoseconds: wait.nanoseconds) { token, events in
      // A handler may deregister itself or another one: the token is looked up for each event.
      handlers[token]?.handler?.ready(events)
    }
    endTurn()
    return true
  }

  /// Whether work is left for the next turn, which then does not wait.
  private var isBusy: Bool { !turnEnds.isEmpty || !fairJobs.isEmpty || !fairHandshakes.isEmpty }

  /// Fires due timers, runs the jobs, and runs the ends of turn.
  private func endTurn() {
    let due = state.withLock { $0.endWait { now } }
    if due.timers { fireTimers() }
    // The action of a timer may add jobs.
    if due.jobs || due.timers { runJobs() }
    runTurnEnds()
  }

  private func runJobs() {
    var jobs = spareJobs
    spareJobs = []
    state.withLock { $0.takeJobs(into: &jobs) }
    for job in jobs { job() }
    jobs.removeAll(keepingCapacity: true)
    spareJobs = jobs
  }

  /// Takes one turn of a simulated loop, and returns after how many nanoseconds the next one is due; nil
  /// when a wake-up comes first.
  package func takeTurn() -> UInt64? {
    threadID.store(threadIdentity(), ordering: .relaxed)
    defer { threadID.store(0, ordering: .relaxed) }
    runFairJobs()
    endTurn()
    return state.withLock { $0.timeUntilNextTurn(isBusy: isBusy) { now } }
  }

  /// Ends a simulated loop: pending jobs run, handlers receive `loopStopped`, timers are dropped.
  package func endSimulated() {
    guard state.withLock({ $0.phase }) != .stopped else { return }
    threadID.store(threadIdentity(), ordering: .relaxed)
    defer { threadID.store(0, ordering: .relaxed) }
    end()
  }

  private func runFairJobs() {
    if fairJobs.isEmpty, fairHandshakes.isEmpty { return }
    runFairly(fairJobs.count) { fairJobs.popFirst() }
    runFairly(fairHandshakes.count) { fairHandshakes.popFirst() }
  }

  /// Runs at most `count` jobs: jobs added meanwhile wait for the next turn.
  private func runFairly(_ count: Int, _ next: () -> Job?) {
    guard count > 0 else { return }
    let end = now + Self.fairShare
    for _ in 0..<count {
      next()?()
      if now >= end { return }
    }
  }

  private func fireTimers() {
    // One at a time, because any timer may cancel the next. `now` is fixed, so a timer that renews
    // itself cannot keep the turn going.
    let now = now
    while let (action, lateness) = state.withLock({ $0.takeDueAction(now: now) }) {
      lastLateness.store(lateness, ordering: .relaxed)
      action()
    }
  }

  private func runTurnEnds() {
    guard !turnEnds.isEmpty else { return }
    // A handler that asks again is called after the next turn.
    swap(&turnEnds, &spareTurnEnds)
    spareTurnEnds.callAll()
  }
}

/// Runs tasks on the loop's thread, except for calls that other executors run.
extension EventLoop: TaskExecutor {
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
