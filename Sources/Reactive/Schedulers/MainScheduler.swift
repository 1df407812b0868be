import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs work on the main queue: now, when it is asked there and nothing is waiting; otherwise in
/// the queue's turn.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  // `unfinished` is atomic; the rest is immutable.
  private let unfinished = Atomic(0)
  /// The shared one, which each use would look for as a global.
  private let answer = MainScheduler.answer

  /// The scheduler of the main queue.
  public static let instance = MainScheduler()

  /// A scheduler of the main queue that never runs anything before its turn, even when asked there.
  public static let asyncInstance = SerialDispatchQueueScheduler(on: .main)

  /// A scheduler of the main queue.
  ///
  /// Work queued on other main schedulers does not delay its work.
  public init() { super.init(sharing: Self.asyncInstance) }

  /// Traps unless it is called on the main queue: a programmer's error, as in RxSwift.
  public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
    precondition(
      isCurrent,
      errorMessage ?? "Executing on a background thread. Use `MainScheduler.instance.schedule`.")
  }

  /// Traps unless it is called on the main queue: a programmer's error, as in RxSwift.
  public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
    ensureExecutingOnScheduler(errorMessage: errorMessage)
  }

  /// Whether `schedule` would run its work before it returns.
  @usableFromInline var runsAtOnce: Bool {
    Self.isCurrent(answer) && unfinished.load(ordering: .relaxed) == 0
  }

  /// Runs `action` now when called on the main queue with nothing waiting, otherwise in its turn.
  public override func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let ahead = unfinished.add(1, ordering: .relaxed).oldValue
    if ahead == 0, Self.isCurrent {
      defer { unfinished.subtract(1, ordering: .relaxed) }
      return action(state)
    }
    let work = ScheduledJob(state, action)
    queue.async {
      work.run()
      self.unfinished.subtract(1, ordering: .relaxed)
    }
    return work
  }

  /// Calls `body` with `state`: now, where `schedule` would, otherwise in the queue's turn.
  @inline(__always) final func run<State>(_ state: State, _ body: @escaping (State) -> Void) {
    if runsAtOnce { return body(state) }
    _ = schedule(state) { state in
      body(state)
      return Disposables.create()
    }
  }

  private static let key = DispatchSpecificKey<Bool>()

  // What is in it are numbers, never followed. Asking Foundation costs more than reducing an action,
  // and a thread never changes its answer.
  private static let answer = ThreadSlot()

  /// Whether this code runs on the main queue; also true under `dispatchMain()`, where the main
  /// queue may be served by another thread than the first.
  package static var isCurrent: Bool { isCurrent(answer) }

  private static func isCurrent(_ answer: ThreadSlot) -> Bool {
    let answer = Int(bitPattern: answer.pointer)
    return answer == 1 || isCurrentElsewhere(answer)
  }

  @inline(never) private static func isCurrentElsewhere(_ known: Int) -> Bool {
    var known = known
    if known == 0 {
      DispatchQueue.main.setSpecific(key: key, value: true)
      known = isFirstThread ? 1 : 2
      answer.pointer = UnsafeMutableRawPointer(bitPattern: known)
    }
    return known == 1 || DispatchQueue.getSpecific(key: key) == true
  }
}

/// Runs work on the main queue: now, whenever it is asked there; otherwise in the queue's turn.
///
/// For `subscribe(on:)`; ``MainScheduler`` keeps the order of elements, which `observe(on:)` needs.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
  /// The scheduler.
  public static let instance = ConcurrentMainScheduler()

  private init() { super.init(on: .main) }

  /// Runs `action` now when called on the main queue, otherwise in the queue's turn.
  public override func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    MainScheduler.isCurrent ? action(state) : super.schedule(state, action: action)
  }
}
