import Compose
import TestSupport
import Testing

@testable import ReactiveTesting

@Suite("A composer's mailbox", .workerPool)
struct MailboxTests {
  final class Log: Composer {
    enum Action: Equatable { case add(Int), count, hold, addLater(Int) }
    struct State: Equatable {
      var numbers: [Int] = []
      var count = 0
    }
    let name = "Log"
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let mailbox: BufferingPolicy
    /// Called in the reducer of `hold`, so that the actions that it sends wait.
    let onHold: @Sendable () -> Void

    init(_ mailbox: BufferingPolicy, onHold: @escaping @Sendable () -> Void) {
      (self.mailbox, self.onHold) = (mailbox, onHold)
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let number): state.numbers.append(number)
      case .count: state.count += 1
      case .hold: onHold()
      case .addLater(let number): return .send(.add(number))
      }
      return .none
    }
  }

  private let problems = EventRecorder<String>()
  private let tool = StepCounter()

  /// Returns the composer after it has reduced the actions that `body` sends inside a reducer.
  ///
  /// - Parameter isObserved: whether a tool records the steps, which changes nothing else.
  private func log(
    _ mailbox: BufferingPolicy, isObserved: Bool = false,
    whileHeld body: @escaping @Sendable (PublishRelay<Log.Action>) -> Void
  ) -> Composed<Log.State, Log.Action> {
    let context = EffectContext(
      VirtualTime().context.dependencies, nil,
      onProblem: { [problems] in problems.append("\($0)") })
    return context.run {
      let relay = Locked<PublishRelay<Log.Action>?>(nil)
      let log = Composed(sending: Log(mailbox) { relay.withLock { $0 }.map(body) })
      relay.withLock { $0 = log.actions }
      if isObserved { TracedStore<Log.State, Log.Action>.of(log.actions)?.observe(tool) }
      log.send(.hold)
      return log
    }
  }

  @Sendable private func sendFive(_ relay: PublishRelay<Log.Action>) {
    for number in 1...5 { relay.accept(.add(number)) }
  }

  @Test func `without a limit all actions wait, and their number is readable`() {
    let log = log(.unbounded) { relay in
      sendFive(relay)
    }
    #expect(log.state.numbers == [1, 2, 3, 4, 5])
    #expect(log.pendingActionCount == 0)
    #expect(log.droppedActionCount == 0)
  }

  @Test(arguments: [false, true])
  func `a full mailbox drops the oldest action, or the newest`(isObserved: Bool) {
    let oldest = log(.bounded(3, .dropOldest), isObserved: isObserved, whileHeld: sendFive)
    #expect(oldest.state.numbers == [3, 4, 5])
    #expect(oldest.droppedActionCount == 2)
    let newest = log(.bounded(3, .dropNewest), isObserved: isObserved, whileHeld: sendFive)
    #expect(newest.state.numbers == [1, 2, 3])
    #expect(newest.droppedActionCount == 2)
    #expect(problems.events.isEmpty)
    #expect(tool.count == (isObserved ? 8 : 0))
  }

  @Test func `actions that a tool's event causes are counted and dropped like others`() {
    let log = log(.bounded(3, .dropOldest), isObserved: true) { [tool] relay in
      DeliveredEvent.delivering(1, of: tool) { sendFive(relay) }
    }
    #expect(log.state.numbers == [3, 4, 5])
    #expect(log.droppedActionCount == 2)
    #expect(tool.deliveredNumbers == [nil, 1, 1, 1])
  }

  @Test func `a full mailbox reports an action that it drops`() {
    let log = log(.bounded(4, .fail), whileHeld: sendFive)
    #expect(log.state.numbers == [1, 2, 3, 4])
    #expect(
      problems.events == [
        "The mailbox of Log is full, and add(5) was dropped. "
          + "Send less, or choose another policy for its mailbox."
      ])
  }

  @Test func `actions of the composer's effects are never dropped`() {
    let log = log(.bounded(1, .dropOldest)) { relay in
      relay.accept(.addLater(7))
    }
    #expect(log.state.numbers == [7])
    let full = self.log(.bounded(1, .dropNewest)) { relay in
      relay.accept(.addLater(7))
      relay.accept(.add(8))
    }
    #expect(full.state.numbers == [7])
  }

  @Test(arguments: [false, true])
  func `a mailbox of 100,000 actions is reported once`(isObserved: Bool) {
    let log = log(.unbounded, isObserved: isObserved) { relay in
      for _ in 0..<100_100 { relay.accept(.count) }
    }
    #expect(log.state.count == 100_100)
    #expect(
      problems.events == ["100000 actions wait for Log. Send less, or bound its mailbox."])
  }

  @Test func `tasks that wait send in the order of their calls`() {
    let (first, second, queue) = (ManualTaskExecutor(), ManualTaskExecutor(), StepQueue())
    let log = Composed(sending: Log(.bounded(2, .suspend)) {}, on: queue)
    queue.runAll()
    for number in 0..<2 { log.send(.add(number)) }
    Task(executorPreference: first) { try await log.sendWhenReady(.add(2)) }
    while first.runNext() {}
    Task(executorPreference: second) { try await log.sendWhenReady(.add(3)) }
    while second.runNext() {}
    #expect(log.waitingSenderCount == 2)
    queue.runAll()
    while second.runNext() {}
    while first.runNext() {}
    queue.runAll()
    #expect(log.state.numbers == [0, 1, 2, 3])
  }

  @Test func `a task waits while the mailbox is full, and sends in its turn`() async throws {
    let queue = StepQueue()
    let log = Composed(sending: Log(.bounded(2, .suspend)) {}, on: queue)
    queue.runAll()
    log.send(.add(1))
    log.send(.add(2))
    #expect(log.pendingActionCount == 2)
    let sender = Task { try await log.sendWhenReady(.add(3)) }
    let cancelled = Task { try await log.sendWhenReady(.add(4)) }
    while log.waitingSenderCount < 2 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    queue.runAll()
    try await sender.value
    queue.runAll()
    #expect(log.state.numbers == [1, 2, 3])
  }
}

/// Runs jobs when the test says so.
private final class StepQueue: ComposeExecutor, Sendable {
  private let jobs = Locked<[@Sendable () -> Void]>([])
  private let isRunning = Locked(false)
  var isCurrent: Bool { isRunning.withLock { $0 } }
  var scheduler: any SchedulerType { CallerRunsExecutor.shared.scheduler }
  func enqueue(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

  func runAll() {
    isRunning.withLock { $0 = true }
    for job in jobs.replace(with: []) { job() }
    isRunning.withLock { $0 = false }
  }
}

/// Counts steps, as a tool, and notes the events that were delivered when their actions were sent.
private final class StepCounter: StoreObserver {
  private let numbers = Locked<[Int?]>([])
  var deliveredNumbers: [Int?] { numbers.withLock { $0 } }
  var count: Int { deliveredNumbers.count }

  func stepped(_ step: RecordedStep) {
    numbers.withLock { $0.append(DeliveredEvent.number(in: self)) }
  }

  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?) {}
  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?) {}
}
