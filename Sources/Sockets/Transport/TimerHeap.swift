/// Timers by deadline; those of one deadline in the order in which they were added.
///
/// A 4-ary heap: half the depth of a binary one, and the four children share cache lines.
/// Cancelled timers stay until they surface or until they are half of the heap.
struct TimerHeap {
  private struct Entry {
    let deadline: UInt64
    let sequence: UInt64
    let timer: LoopTimer

    static func < (left: Entry, right: Entry) -> Bool {
      (left.deadline, left.sequence) < (right.deadline, right.sequence)
    }
  }

  private var entries: [Entry] = []
  private var nextSequence: UInt64 = 0
  private var cancelled = 0

  var count: Int { entries.count }

  mutating func insert(_ timer: LoopTimer, deadline: UInt64) {
    entries.append(Entry(deadline: deadline, sequence: nextSequence, timer: timer))
    nextSequence += 1
    siftUp(from: entries.count - 1)
  }

  /// The deadline of the next timer that is still wanted.
  mutating func earliest() -> UInt64? {
    while let first = entries.first {
      if first.timer.isPending { return first.deadline }
      removeFirst()
      cancelled -= 1
    }
    return nil
  }

  /// Takes the next timer whose deadline is not after `now`.
  mutating func popDue(now: UInt64) -> LoopTimer? {
    guard let deadline = earliest(), deadline <= now else { return nil }
    return removeFirst()
  }

  /// To be called after a timer in the heap has stopped being pending.
  mutating func noteCancelled() {
    cancelled += 1
    guard cancelled * 2 > entries.count else { return }
    entries.removeAll { !$0.timer.isPending }
    cancelled = 0
    guard entries.count > 1 else { return }
    for index in stride(from: (entries.count - 2) / 4, through: 0, by: -1) { siftDown(from: index) }
  }

  @discardableResult
  private mutating func removeFirst() -> LoopTimer {
    let first = entries[0]
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      siftDown(from: 0)
    }
    return first.timer
  }

  private mutating func siftUp(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 4
      guard entries[index] < entries[parent] else { return }
      entries.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(from start: Int) {
    var index = start
    while true {
      let firstChild = index * 4 + 1
      guard firstChild < entries.count else { return }
      var least = firstChild
      for child in (firstChild + 1)..<(firstChild + 4)
      where child < entries.count && entries[child] < entries[least] {
        least = child
      }
      guard entries[least] < entries[index] else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
