import Dispatch

/// A store without the library, for the main queue only: an array of actions and a `switch`.
@MainActor
final class Store {
  private(set) var state = Counter.State()
  private let observer: (@Sendable (Int) -> Void)?
  private var mailbox: [Counter.Action] = []
  private var isDraining = false

  init(observer: (@Sendable (Int) -> Void)? = nil) { self.observer = observer }

  /// Reduces `action` and the actions that it sends, one after the other.
  @inline(never)
  func accept(_ action: Counter.Action) {
    mailbox.append(action)
    if isDraining { return }
    isDraining = true
    var next = 0
    while next < mailbox.count {
      let before = state
      reduce(mailbox[next])
      next += 1
      if state != before { observer?(state.count) }
    }
    mailbox.removeAll(keepingCapacity: true)
    isDraining = false
  }

  private func reduce(_ action: Counter.Action) {
    switch action {
    case .increment: state.count &+= 1
    case .countDown(let left):
      state.count &+= 1
      if left > 1 { accept(.countDown(left - 1)) }
    case .group: for _ in 0..<10 { reduce(.increment) }
    case .run: Task { accept(.increment) }
    }
  }
}

/// The same as an actor: safe from any thread; the sender awaits each call.
actor CountingActor {
  private var count = 0

  @inline(never)
  func increment() { count &+= 1 }

  /// That many awaited calls, one after the other.
  @MainActor
  static func accepting() -> Contender.Body { calling(increment) }

  @Sendable
  private static func increment(_ counter: CountingActor, _ times: Int) async {
    for _ in 0..<times { await counter.increment() }
  }

  /// Two tasks that call at once.
  @Sendable
  static func incrementFromTwoTasks(_ counter: CountingActor, _ times: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for share in [times / 2, times - times / 2] {
        group.addTask { await increment(counter, share) }
      }
    }
  }

  /// A task for each call.
  @Sendable
  static func incrementFromTaskEach(_ counter: CountingActor, _ times: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<times { group.addTask { await counter.increment() } }
    }
  }

  /// Awaits `work` in a task and returns the total number of increments.
  @MainActor
  static func calling(
    _ work: @escaping @Sendable (CountingActor, _ operations: Int) async -> Void
  ) -> Contender.Body {
    let counter = CountingActor()
    return { operations in
      let done = DispatchSemaphore(value: 0)
      let result = Result()
      Task.detached {
        await work(counter, operations)
        result.value = await counter.count
        done.signal()
      }
      done.wait()
      return result.value
    }
  }

  // Written by the task before it signals, read by the caller after.
  private final class Result: @unchecked Sendable { var value = 0 }
}
