import Foundation
import Synchronization

/// Runs work on the main queue: now, when it is asked there and nothing is waiting; otherwise in
/// the queue's turn.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  // `waiting` is atomic; the rest is immutable.
  private let waiting = Atomic(0)

  /// The scheduler of the main queue.
  public static let instance = MainScheduler()

  /// A scheduler of the main queue that never runs anything before its turn, even when asked there.
  public static let asyncInstance = SerialDispatchQueueScheduler(
    serialQueue: .main, leeway: .nanoseconds(0))

  /// A scheduler of the main queue.
  public init() { super.init(serialQueue: .main, leeway: .nanoseconds(0)) }

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

  /// Whether this code runs on the main queue; also true under `dispatchMain()`, where the main
  /// queue may be served by another thread than the first.
  package static var isCurrent: Bool { MainQueue.isCurrent }

  /// Whether `schedule` would run its work before it returns.
  @usableFromInline var runsAtOnce: Bool { Self.isCurrent && waiting.load(ordering: .relaxed) == 0 }

  /// Runs `action` now when called on the main queue with nothing waiting, otherwise in its turn.
  public override func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let ahead = waiting.add(1, ordering: .relaxed).oldValue
    if ahead == 0, Self.isCurrent {
      defer { waiting.subtract(1, ordering: .relaxed) }
      return action(state)
    }
    let work = ScheduledWork()
    let job = Transferred { work.run(state, action) }
    queue.async {
      self.waiting.subtract(1, ordering: .relaxed)
      job.value()
    }
    return work
  }
}

/// Recognises the main queue.
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  // The two pointers are numbers, never followed. Asking Foundation costs more than reducing an action, and a thread never changes its answer.
  private static let answer = ThreadSlot()
  private static nonisolated(unsafe) let isMainThread = UnsafeMutableRawPointer(bitPattern: 1)
  private static nonisolated(unsafe) let isOtherThread = UnsafeMutableRawPointer(bitPattern: 2)

  static var isCurrent: Bool {
    switch answer.pointer {
    case isMainThread: return true
    case isOtherThread: return DispatchQueue.getSpecific(key: key) == true
    default:
      answer.pointer = Thread.isMainThread ? isMainThread : isOtherThread
      return Self.isCurrent
    }
  }
}
