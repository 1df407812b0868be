/// A timer of a `TimerHeap`, which may be cancelled while it waits.
@usableFromInline package protocol CancellableTimer: SendableMetatype {
  /// Whether the timer waits: it is neither cancelled nor done.
  var isPending: Bool { get }
}

/// Timers ordered by deadline, in nanoseconds; equal deadlines keep the order of insertion.
///
/// Cancelled timers are removed when they reach the top, or when they are a quarter of the heap.
@frozen @usableFromInline package struct TimerHeap<Timer: CancellableTimer> {
  @usableFromInline struct Entry {
    @usableFromInline let deadline: UInt64
    @usableFromInline let sequence: UInt64
    @usableFromInline let timer: Timer

    @inlinable init(deadline: UInt64, sequence: UInt64, timer: Timer) {
      self.deadline = deadline
      self.sequence = sequence
      self.timer = timer
    }

    @inlinable static func precedes(_ left: Entry, _ right: Entry) -> Bool {
      (left.deadline, left.sequence) < (right.deadline, right.sequence)
    }
  }

  @usableFromInline var entries = Heap<Entry>()
  @usableFromInline var nextSequence: UInt64 = 0
  @usableFromInline var cancelled = 0

  @inlinable package init() {}

  @inlinable package var count: Int { entries.count }

  @inlinable package mutating func insert(_ timer: Timer, deadline: UInt64) {
    let entry = Entry(deadline: deadline, sequence: nextSequence, timer: timer)
    entries.insert(entry, by: Entry.precedes)
    nextSequence += 1
  }

  /// The deadline of the next timer that is not cancelled.
  @inlinable package mutating func earliest() -> UInt64? {
    while let first = entries.first {
      if first.timer.isPending { return first.deadline }
      _ = entries.popFirst(by: Entry.precedes)
      cancelled -= 1
    }
    return nil
  }

  /// Removes the next timer whose deadline is not after `now`.
  @inlinable package mutating func popDue(now: UInt64) -> (timer: Timer, deadline: UInt64)? {
    guard let deadline = earliest(), deadline <= now,
      let entry = entries.popFirst(by: Entry.precedes)
    else { return nil }
    return (entry.timer, deadline)
  }

  /// Notes that a timer in the heap was cancelled; call it after the timer stops being pending.
  @inlinable package mutating func noteCancelled() {
    cancelled += 1
    guard cancelled * 4 > entries.count else { return }
    entries.removeAll(where: { !$0.timer.isPending }, by: Entry.precedes)
    cancelled = 0
  }
}
