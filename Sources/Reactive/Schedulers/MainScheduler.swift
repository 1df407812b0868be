import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs work on the main queue.
///
/// The work runs at once if called on that queue with no work queued, otherwise as queued work.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  // `unfinished` is atomic; the rest is immutable.
  private let unfinished = Atomic(0)
  /// The static `answer`, stored here because each use of a global checks its initialization.
  private let answer = MainScheduler.answer

  /// The shared scheduler of the main queue.
  public static let instance = MainScheduler()

  /// A scheduler of the main queue that always queues its work, even if called on the main queue.
  public static let asyncInstance = SerialDispatchQueueScheduler(on: .main)

  /// Creates a scheduler of the main queue.
  ///
  /// Queued work of other main schedulers does not delay its work.
  public init() { super.init(sharing: Self.asyncInstance) }

  /// Traps off the main queue, which is a programmer error, as in RxSwift.
  public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
    precondition(
      isCurrent,
      errorMessage ?? "Executing on a background thread. Use `MainScheduler.instance.schedule`.")
  }

  /// Traps off the main queue, which is a programmer error, as in RxSwift.
  public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
    ensureExecutingOnScheduler(errorMessage: errorMessage)
  }

  /// Whether `schedule` would run its work before it returns.
  @usableFromInline var runsAtOnce: Bool {
    let known = Int(bitPattern: answer.pointer)
    return known == 1 ? unfinished.load(ordering: .relaxed) == 0 : runsAtOnceElsewhere(known)
  }

  @inline(never) private func runsAtOnceElsewhere(_ known: Int) -> Bool {
    if let host = HostSystem.current { return host.isOn(.main) && !host.hasJobs(on: queue) }
    return Self.isCurrentElsewhere(known) && unfinished.load(ordering: .relaxed) == 0
  }

  /// Runs `action` now if called on the main queue with no work queued, otherwise as queued work.
  public override func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    if let host = HostSystem.current {
      if runsAtOnce { return action(state) }
      let work = ScheduledJob(state, action)
      host.enqueue(on: queue) { work.run() }
      return work
    }
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

  /// Calls `body` with `state`, at the time at which `schedule` would run it.
  @inline(__always) final func run<State>(_ state: State, _ body: @escaping (State) -> Void) {
    if runsAtOnce { return body(state) }
    _ = schedule(state) { state in
      body(state)
      return Disposables.create()
    }
  }

  private static let key = DispatchSpecificKey<Bool>()

  // The pointer holds a number and is never followed. The answer for a thread never changes, and
  // finding it costs more than reducing an action: 0 is unknown, 1 the first thread, 2 another one.
  private static let answer = ThreadSlot()

  /// Runs `body` as code of a simulated host, which then decides what its main queue is.
  ///
  /// The answer of the thread is another one meanwhile, so that threads without a host look for none.
  static func askingHost<Result>(_ body: () throws -> Result) rethrows -> Result {
    try answer.holding(UnsafeMutableRawPointer(bitPattern: 3), body)
  }

  /// Whether this code runs on the main queue.
  ///
  /// It is correct under `dispatchMain()` too, where another thread than the first may serve the
  /// main queue.
  package static var isCurrent: Bool { isCurrent(answer) }

  private static func isCurrent(_ answer: ThreadSlot) -> Bool {
    let known = Int(bitPattern: answer.pointer)
    return known == 1 || isCurrentElsewhere(known)
  }

  @inline(never) private static func isCurrentElsewhere(_ known: Int) -> Bool {
    if let host = HostSystem.current { return host.isOn(.main) }
    var known = known
    if known == 0 {
      DispatchQueue.main.setSpecific(key: key, value: true)
      known = isFirstThread ? 1 : 2
      answer.pointer = UnsafeMutableRawPointer(bitPattern: known)
    }
    return known == 1 || DispatchQueue.getSpecific(key: key) == true
  }
}

/// Runs work on the main queue: at once if called on it, otherwise as queued work.
///
/// It is for `subscribe(on:)`. ``MainScheduler`` keeps the order of elements, which `observe(on:)`
/// requires.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
  /// The only instance.
  public static let instance = ConcurrentMainScheduler()

  private init() { super.init(on: .main) }

  /// Runs `action` now if called on the main queue, otherwise as queued work.
  public override func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    MainScheduler.isCurrent ? action(state) : super.schedule(state, action: action)
  }
}
