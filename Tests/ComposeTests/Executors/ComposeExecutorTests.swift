import Compose
import Dispatch
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("ComposeExecutor", .workerPool(limit: 300))
struct ComposeExecutorTests {
  /// Records the thread that reduces.
  final class Where: Composer {
    enum Action { case note, chain(Int), tick, run }
    struct State { var count = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let note: @Sendable () -> Void
    let transforms: Bool

    init(transforms: Bool = false, _ note: @escaping @Sendable () -> Void = {}) {
      (self.transforms, self.note) = (transforms, note)
    }

    func transform(action: Observable<Action>) -> Observable<Action> {
      transforms ? action.map { $0 } : action
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      note()
      state.count += 1
      return switch action {
      case .chain(let left) where left > 0: .send(.chain(left - 1))
      case .tick: .timer(.send(.note), dueTime: .milliseconds(1), period: .seconds(60))
      case .run: .run { $0.onNext(.send(.note)) }
      default: .none
      }
    }
  }

  @Test func `a composer on a queue reduces on that queue, from any sender`() async throws {
    let queue = DispatchQueue(label: "composers")
    let composed = Composed(
      sending: Where { dispatchPrecondition(condition: .onQueue(queue)) },
      on: .queue(queue)
    )
    composed.send(.note)
    composed.send(.tick)
    composed.send(.run)
    try await reaches(composed) { $0.count >= 5 }
  }

  @Test func `an action sent on the composer's queue is reduced at once`() async {
    let queue = DispatchQueue(label: "composers")
    let composed = Composed(sending: Where(), on: .queue(queue))
    let count = await withCheckedContinuation { continuation in
      queue.async {
        composed.send(.chain(9))
        continuation.resume(returning: composed.state.count)
      }
    }
    #expect(count == 10)
  }

  @Test(arguments: [1, 2])
  func `composers on a pool reduce one action at a time, and as many as it is wide at once`(
    width: Int
  ) async throws {
    // How many reducers of a composer, or of all composers, run now and ran at once at most.
    let all = Locked((running: 0, most: 0))
    let pool = PoolExecutor(width: width)
    let composers = (0..<100).map { _ in
      let own = Locked((running: 0, most: 0))
      return Composed(
        sending: Where {
          for counts in [own, all] {
            counts.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
          }
          sched_yield()
          for counts in [own, all] { counts.withLock { $0.running -= 1 } }
          #expect(own.withLock { $0.most } == 1)
        }, on: pool)
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<20 { for composed in composers { composed.send(.note) } } }
      }
    }
    for composed in composers { try await reaches(composed) { $0.count == 80 } }
    #expect(all.withLock { $0.most } <= width)
  }

  @Test func `a composer that sends to itself leaves its thread to others after 1,000 actions`() {
    let pool = PoolExecutor(width: 1)
    let (began, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (count, countOfOthers) = (Locked(0), Locked<Int?>(nil))
    let isDone = DispatchSemaphore(value: 0)
    let busy = Composed(
      sending: Where {
        guard
          count.withLock({
            $0 += 1; return $0
          }) == 1
        else { return }
        began.signal()
        mayGoOn.wait()
      }, on: pool)
    let waiting = Composed(
      sending: Where {
        countOfOthers.withLock { $0 = count.withLock(\.self) }
        isDone.signal()
      }, on: pool)
    busy.send(.chain(50_000))
    began.wait()
    waiting.send(.note)
    mayGoOn.signal()
    isDone.wait()
    #expect(countOfOthers.withLock { $0 ?? .max } <= 2_000)
    withExtendedLifetime((busy, waiting)) {}
  }

  @Test func `an action that is sent on a thread of the pool is reduced at once`() async throws {
    let pool = PoolExecutor(width: 1)
    let (first, second) = (Locked<Int?>(nil), Composed(sending: Where(), on: pool))
    let sender = Composed(
      sending: Where {
        second.send(.chain(9))
        _ = first.replace(with: second.state.count)
      }, on: pool)
    sender.send(.note)
    try await reaches(sender) { $0.count == 1 }
    #expect(first.withLock { $0 } == 10)
  }

  #if os(Linux) && !SANITIZED
  @Test func `ten thousand composers on the pool add at most a thread for each core`() async {
    await #expect(processExitsWith: .success) {
      func threads() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      }
      let before = try threads()
      let composers = (0..<10_000).map { _ in Composed(sending: Where(), on: .pool) }
      for _ in 0..<3 { for composed in composers { composed.send(.note) } }
      for composed in composers { composed.send(.tick) }
      try await reaches(composers[9_999]) { $0.count >= 5 }
      let added = try threads() - before
      let cores = ProcessInfo.processInfo.activeProcessorCount
      guard added <= cores + 4 else { fatalError("\(added) threads for \(cores) cores") }
    }
  }
  #endif

  actor Store {
    private var isInside = false
    var turns = 0

    func turn() { turns += 1 }

    nonisolated func check() { assertIsolated("not isolated to the store") }
  }

  @Test func `a composer on an actor never reduces concurrently with the actor's code`()
    async throws
  {
    let store = Store()
    let composed = Composed(sending: Where { store.check() }, on: .actor(store))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            composed.send(.note)
            await store.turn()
          }
        }
      }
    }
    try await reaches(composed) { $0.count >= 2_000 }
  }

  @MainActor
  @Test func `a composer on the main executor reduces on the main queue`() {
    let composed = Composed(sending: Where { MainActor.assertIsolated() }, on: .main)
    composed.send(.note)
    #expect(composed.state.count == 1)
  }

  @Test func `a composer on a virtual executor reduces in virtual time`() {
    let time = VirtualTime()
    let composed = time.run { Composed(sending: Where()) }
    composed.send(.tick)
    composed.send(.run)
    time.advance(by: .seconds(1))
    #expect(composed.state.count == 4)
  }

  @Test func `a chain of effects of any length is reduced by its first sender`() {
    let composed = Composed(sending: Where())
    composed.send(.chain(100_000))
    #expect(composed.state.count == 100_001)
  }

  @Test(arguments: [false, true])
  func `a thread that reduces for others moves the rest to the executor`(transforms: Bool)
    async throws
  {
    let (actions, left) = (Locked<PublishRelay<Where.Action>?>(nil), Locked(3_000))
    let (wanted, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Another thread sends an action during each reduction, so that one action is always queued.
    Thread.detachNewThread {
      for _ in 0..<3_000 {
        wanted.waitInTime()
        actions.withLock { $0 }?.accept(.note)
        sent.signal()
      }
    }
    let reduced = EventRecorder<UInt>()
    let composed = Composed(
      sending: Where(transforms: transforms) {
        reduced.append(threadIdentity())
        let isLast = left.withLock { left in
          left -= 1
          return left < 0
        }
        if isLast { return }
        wanted.signal()
        sent.waitInTime()
      })
    _ = actions.replace(with: composed.actions)
    let (sender, isReduced) = (Locked<UInt>(0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      sender.withLock { $0 = threadIdentity() }
      composed.send(.note)
      // The identity of a thread that has ended may be that of another one.
      isReduced.waitInTime()
    }
    try await reaches(composed) { $0.count == 3_001 }
    let me = sender.withLock { $0 }
    #expect(reduced.events.count { $0 == me } <= 1_001)
    isReduced.signal()
  }

  @Test func `actions of one thread keep their order, whichever thread reduces`() async throws {
    final class Ordered: Composer {
      struct State { var last = [0, 0, 0, 0], count = 0, isOrdered = true }
      @ComposableState var state = State()
      var action = PublishRelay<(Int, Int)>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: (Int, Int)) -> Observable<Effect<(Int, Int)>> {
        if action.1 != state.last[action.0] + 1 { state.isOrdered = false }
        state.last[action.0] = action.1
        state.count += 1
        return .none
      }
    }
    let composed = Composed(sending: Ordered())
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask { for number in 1...5_000 { composed.send((thread, number)) } }
      }
    }
    try await reaches(composed) { $0.count >= 20_000 }
    #expect(composed.state.isOrdered)
  }
}
