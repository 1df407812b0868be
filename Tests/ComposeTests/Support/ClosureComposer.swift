import Compose
import Foundation
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

struct Failure: Error {}

/// A composer whose reducer is a closure of the test.
final class ClosureComposer: Composer, EffectFailureHandling {
  enum Action: Equatable { case go, stop, tick, other, number(Int), present(String) }

  struct State: Equatable {
    var count = 0
    var log: [String] = []
    @PresentState var alert: String?
  }

  typealias Body = (ClosureComposer, inout State, Action) -> Observable<Effect<Action>>

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private(set) var failures: [String] = []
  private let body: Body
  private let onFailure: (EffectFailure<Action>) -> Observable<Effect<Action>>
  private let token: LiveToken?

  init(
    alive: LiveCount? = nil,
    onFailure: @escaping (EffectFailure<Action>) -> Observable<Effect<Action>> = { _ in .none },
    _ body: @escaping Body
  ) {
    self.body = body
    self.onFailure = onFailure
    token = alive.map(LiveToken.init)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    body(self, &state, action)
  }

  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
    failures.append("\(failure)")
    return onFailure(failure)
  }
}

/// Counts live objects.
final class LiveCount: Sendable {
  private let number = Atomic(0)
  private let becameZero = DispatchSemaphore(value: 0)
  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Waits until the count is zero; returns false when that takes longer than `seconds`.
  func becomesZero(within seconds: Double) -> Bool {
    let end = DispatchTime.now() + seconds
    while count > 0 { if becameZero.wait(timeout: end) == .timedOut { return count == 0 } }
    return true
  }

  fileprivate func add(_ change: Int) {
    let (_, count) = number.add(change, ordering: .sequentiallyConsistent)
    if count == 0 { becameZero.signal() }
  }
}

extension DispatchSemaphore {
  /// Waits for at most a minute, and records an issue at the end of the minute.
  func waitInTime(sourceLocation: SourceLocation = #_sourceLocation) {
    if wait(timeout: .now() + 60) == .timedOut {
      Issue.record("Stuck for a minute.", sourceLocation: sourceLocation)
    }
  }
}

/// Runs `body` on a new thread, so that blocking code does not occupy a thread of the task pool.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

/// Counts in a ``LiveCount`` while it is alive.
final class LiveToken: Sendable {
  private let liveCount: LiveCount

  init(_ liveCount: LiveCount) {
    self.liveCount = liveCount
    liveCount.add(1)
  }

  deinit { liveCount.add(-1) }
}

/// Runs enqueued jobs when `run()` is called.
final class ManualExecutor: ComposeExecutor {
  let jobs = Locked<[@Sendable () -> Void]>([])
  let isCurrent = false
  var scheduler: any SchedulerType { VirtualTime().scheduler }

  func enqueue(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

  func run() { for job in jobs.replace(with: []) { job() } }
}

/// Waits for at most a minute until `isExpected` returns true for the state of `composed`.
func reaches<State, Action>(
  _ composed: Composed<State, Action>, _ isExpected: @escaping @Sendable (State) -> Bool
) async throws {
  let states = composed.states.filter(isExpected).take(1)
  let clock = ConcurrentDispatchQueueScheduler(queue: .global())
  for try await _ in states.timeout(.seconds(60), scheduler: clock).values {}
}

/// Owns a composer on the main actor, like a view controller.
@MainActor
final class Screen<C: Composer> {
  @Compose var composer: C

  init(_ composer: C) { _composer = Compose(wrappedValue: composer) }
}
