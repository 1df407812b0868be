/// The current thread's queue of work, which gives RxSwift's order to sources of several elements.
///
/// Such sources take turns, one element each:
/// `merge(of(1, 2, 3), of(4, 5, 6))` is 1, 4, 2, 5, 3, 6.
/// A source that is alone in the queue emits in a loop without queueing.
@usableFromInline package final class Trampoline {
  // The trampoline belongs to one thread: only a thread-local key refers to it.
  @exclusivity(unchecked) @usableFromInline var queue = Fifo<QueuedClosure>()
  @exclusivity(unchecked) @usableFromInline var isRunning = false
  // The references that wait while another one is being released; nil at other times.
  @exclusivity(unchecked) private var released: [QueuedClosure]?

  /// A closure in a struct: stored as a plain generic value it would need an allocation.
  @frozen @usableFromInline struct QueuedClosure {
    @usableFromInline let run: () -> Void

    @inlinable init(run: @escaping () -> Void) { self.run = run }
  }

  private static let slot = ThreadSlot { context in
    if let context { Unmanaged<Trampoline>.fromOpaque(context).release() }
  }

  private init() {}

  /// The trampoline of the current thread.
  @usableFromInline package static var current: Trampoline {
    if let existing = slot.pointer {
      return Unmanaged<Trampoline>.fromOpaque(existing).takeUnretainedValue()
    }
    let made = Trampoline()
    slot.pointer = Unmanaged.passRetained(made).toOpaque()
    return made
  }

  /// Runs `body` now; the outermost call then runs the work queued meanwhile.
  @inlinable package static func run(_ body: () -> Void) {
    let current = current
    if current.isRunning { return body() }
    current.isRunning = true
    body()
    current.drain()
  }

  /// Queues `work`, or runs it now when this trampoline is idle.
  @usableFromInline package func schedule(_ work: @escaping () -> Void) {
    if isRunning { return queue.append(QueuedClosure(run: work)) }
    isRunning = true
    work()
    drain()
  }

  @usableFromInline func drain() {
    while let work = queue.popFirst() { work.run() }
    isRunning = false
  }

  /// Sets `held` to nil, in a loop instead of recursively.
  ///
  /// A call during the release of another reference queues the reference, which is released after
  /// that one. Nested releases would need a deeper stack at each level.
  func release<Held>(_ held: inout Held?) {
    if released != nil {
      released?.append(QueuedClosure { [held] in withExtendedLifetime(held) {} })
      held = nil
      return
    }
    released = []
    Self.releaseNow(&held)
    while released?.isEmpty == false {
      var last = released?.popLast()
      Self.releaseNow(&last)
    }
    released = nil
  }

  // Not optimized: the optimizer would delay the release until `released` is nil.
  @_optimize(none) private static func releaseNow<Held>(_ held: inout Held?) { held = nil }
}
