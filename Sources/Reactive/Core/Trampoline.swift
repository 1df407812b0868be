/// The current thread's queue of work, which gives RxSwift's order: sources of many elements take
/// turns, one element each, and `merge(of(1, 2, 3), of(4, 5, 6))` is 1, 4, 2, 5, 3, 6.
///
/// A source that is alone in the queue keeps its loop, so the order costs nothing where it does not
/// matter.
@usableFromInline package final class Trampoline {
  // Reached through a thread-local key only: it belongs to one thread.
  @exclusivity(unchecked) @usableFromInline var queue = Fifo<Work>()
  @exclusivity(unchecked) @usableFromInline var isRunning = false
  // What waits while something is being released; nil while nothing is.
  @exclusivity(unchecked) private var released: [Work]?

  /// A closure; stored where any type may be, it would take an allocation.
  @frozen @usableFromInline struct Work {
    @usableFromInline let run: () -> Void

    @inlinable init(run: @escaping () -> Void) { self.run = run }
  }

  private static let slot = ThreadSlot { context in
    if let context { Unmanaged<Trampoline>.fromOpaque(context).release() }
  }

  private init() {}

  /// The current thread's.
  @usableFromInline package static var current: Trampoline {
    if let existing = slot.pointer {
      return Unmanaged<Trampoline>.fromOpaque(existing).takeUnretainedValue()
    }
    let made = Trampoline()
    slot.pointer = Unmanaged.passRetained(made).toOpaque()
    return made
  }

  /// Runs `body` now; the outermost call then runs what was queued meanwhile.
  @inlinable package static func enter(_ body: () -> Void) {
    let current = current
    if current.isRunning { return body() }
    current.isRunning = true
    body()
    current.drain()
  }

  /// Queues `work`, or runs it now when nothing is running.
  @usableFromInline package func schedule(_ work: @escaping () -> Void) {
    if isRunning { return queue.append(Work(run: work)) }
    isRunning = true
    work()
    drain()
  }

  @usableFromInline func drain() {
    while let work = queue.popFirst() { work.run() }
    isRunning = false
  }

  /// Sets `held` to nil; when that is done while another one is being released, behind that: what is nested
  /// would need a deeper stack with each level.
  func release<Held>(_ held: inout Held?) {
    if released != nil {
      released?.append(Work { [held] in withExtendedLifetime(held) {} })
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

  // The optimiser would put it off until `released` is nil.
  @_optimize(none) private static func releaseNow<Held>(_ held: inout Held?) { held = nil }
}
