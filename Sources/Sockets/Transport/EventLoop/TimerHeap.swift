/// Timers ordered by deadline; equal deadlines keep the order of insertion.
///
/// Cancelled timers, which have released their actions, are removed when they reach the top, or when
/// there are more than 16 of them and they are a quarter of the heap.
struct TimerHeap {
  private struct Entry {
    let deadline: UInt64
    let sequence: UInt64
    let timer: LoopTimer

    static func precedes(_ left: Entry, _ right: Entry) -> Bool {
      (left.deadline, left.sequence) < (right.deadline, right.sequence)
    }
  }

  private var entries = Heap<Entry>()
  private var nextSequence: UInt64 = 0
  private var cancelled = 0

  var count: Int { entries.count }

  mutating func insert(_ timer: LoopTimer, deadline: UInt64) {
    let entry = Entry(deadline: deadline, sequence: nextSequence, timer: timer)
    entries.insert(entry, by: Entry.precedes)
    nextSequence += 1
  }

  /// The deadline of the next timer that is not cancelled.
  mutating func earliest() -> UInt64? {
    while let first = entries.first {
      if first.timer.isPending { return first.deadline }
      _ = entries.popFirst(by: Entry.precedes)
      cancelled -= 1
    }
    return nil
  }

  /// Removes the next timer whose deadline is not after `now`.
  mutating func popDue(now: UInt64) -> (LoopTimer, deadline: UInt64)? {
    guard let deadline = earliest(), deadline <= now,
      let entry = entries.popFirst(by: Entry.precedes)
    else { return nil }
    return (entry.timer, deadline)
  }

  /// Removes all timers and returns their actions.
  mutating func takeActions() -> [EventLoop.Job] {
    var actions: [EventLoop.Job] = []
    while let entry = entries.popFirst(by: Entry.precedes) {
      if let action = entry.timer.takeAction() { actions.append(action) }
    }
    cancelled = 0
    return actions
  }

  /// Notes that a timer in the heap was cancelled; call it after the timer stops being pending.
  mutating func noteCancelled() {
    cancelled += 1
    guard cancelled > 16, cancelled * 4 > entries.count else { return }
    entries.removeAll(where: { !$0.timer.isPending }, by: Entry.precedes)
    cancelled = 0
  }
}
