import Compose
import Foundation
import ReactiveTesting
import Synchronization
import Testing

struct Failure: Error {}

/// A composer whose reducer is given by the test.
final class Probe: Composer {
  enum Action: Equatable { case go, stop, tick, other, number(Int), present(String) }

  struct State: Equatable {
    var count = 0
    var log: [String] = []
    @PresentState var alert: String?
  }

  typealias Body = (Probe, inout State, Action) -> Observable<Effect<Action>>

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private(set) var failures: [String] = []
  private let body: Body
  private let token: Token?

  init(alive: Census? = nil, _ body: @escaping Body) {
    self.body = body
    token = alive.map(Token.init)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    body(self, &state, action)
  }

  func effectFailed(_ error: any Error, from action: Action) {
    failures.append("\(error) from \(action)")
  }
}

/// Counts what is alive.
final class Census: Sendable {
  private let number = Atomic(0)
  private let emptied = DispatchSemaphore(value: 0)
  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Waits until nothing is alive; false when that takes longer than `seconds`.
  func becomesEmpty(within seconds: Double) -> Bool {
    let end = DispatchTime.now() + seconds
    while count > 0 { if emptied.wait(timeout: end) == .timedOut { return count == 0 } }
    return true
  }

  fileprivate func add(_ change: Int) {
    let (_, count) = number.add(change, ordering: .sequentiallyConsistent)
    if count == 0 { emptied.signal() }
  }
}

extension DispatchSemaphore {
  /// Waits for a minute at most, and records an issue then: something is stuck.
  func waitInTime(sourceLocation: SourceLocation = #_sourceLocation) {
    if wait(timeout: .now() + 60) == .timedOut {
      Issue.record("Stuck for a minute.", sourceLocation: sourceLocation)
    }
  }
}

/// Runs `body` on a thread of its own: what waits must not keep a task's thread.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

/// Alive as long as its owner.
final class Token: Sendable {
  private let census: Census

  init(_ census: Census) {
    self.census = census
    census.add(1)
  }

  deinit { census.add(-1) }
}

/// Runs jobs when it is told to.
final class Jobs: ComposeExecutor {
  let jobs = Locked<[@Sendable () -> Void]>([])
  let isCurrent = false
  var scheduler: any SchedulerType { VirtualTime().scheduler }

  func enqueue(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

  func run() { for job in jobs.replace(with: []) { job() } }
}

/// Waits until the state of `composed` is as it `isExpected`, for a minute at most.
func reaches<State, Action>(
  _ composed: Composed<State, Action>, _ isExpected: @escaping @Sendable (State) -> Bool
) async throws {
  let states = composed.states.filter(isExpected).take(1)
  let clock = ConcurrentDispatchQueueScheduler(queue: .global())
  for try await _ in states.timeout(.seconds(60), scheduler: clock).values {}
}

/// Owns a composer like a view controller does.
@MainActor
final class Screen<C: Composer> {
  @Compose var composer: C

  init(_ composer: C) { _composer = Compose(wrappedValue: composer) }
}

/// What closures on any thread note down.
final class Notes<Note: Sendable>: Sendable {
  private let notes = Locked<[Note]>([])
  var all: [Note] { notes.withLock { $0 } }
  func add(_ note: Note) { notes.withLock { $0.append(note) } }
}
