/// Virtual time like that of RxTest's scheduler: runs work by time, then by insertion.
package final class VirtualClock {
  package private(set) var now = 0
  private var waiting: [(time: Int, work: () -> Void, disposal: Disposal)] = []

  package init() {}

  /// Runs `work` at `time`.
  @discardableResult package func at(_ time: Int, _ work: @escaping () -> Void) -> Disposal {
    let disposal = Disposal()
    let index = waiting.firstIndex { $0.time > time } ?? waiting.endIndex
    waiting.insert((time, work, disposal), at: index)
    return disposal
  }

  /// Runs `work` after `ticks`, but not within this one: RxTest's processing delay.
  package func after(_ ticks: Int, _ work: @escaping () -> Void) -> Disposal {
    at(now + max(1, ticks), work)
  }

  /// Runs `work` periodically: the next turn is scheduled before the current work runs.
  package func every(_ period: Int, from start: Int, _ work: @escaping () -> Void) -> Disposal {
    let disposal = Disposal()
    func turn() {
      disposal.replace(with: after(period, turn))
      work()
    }
    disposal.add(after(start, turn))
    return disposal
  }

  /// Runs all work.
  package func run() {
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      if next.disposal.isDisposed { continue }
      now = max(now, next.time)
      next.work()
    }
  }
}
