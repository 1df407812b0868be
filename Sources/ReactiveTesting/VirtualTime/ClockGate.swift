/// Decides how far a virtual clock may move: freely, or as far as steps allow.
///
/// Times are in microseconds.
struct ClockGate: Equatable, Sendable {
  private enum State: Equatable, Sendable {
    case open
    /// - Parameters:
    ///   - limit: time up to which the clock may move.
    ///   - steps: moments with due work to which it may move besides.
    case paused(limit: Int, steps: Int)
  }

  private var state = State.open

  var isPaused: Bool { state != .open }

  /// Closes the gate at `now`; steps that are not used yet end.
  mutating func pause(at now: Int) { state = .paused(limit: now, steps: 0) }

  /// Opens the gate.
  mutating func resume() { state = .open }

  /// Allows an interval more.
  mutating func step(by interval: Int, at now: Int) {
    guard case .paused(let limit, let steps) = state else { return }
    let (later, isOverflow) = max(limit, now).addingReportingOverflow(max(0, interval))
    state = .paused(limit: isOverflow ? .max : later, steps: steps)
  }

  /// Allows one more moment with due work.
  mutating func stepToNext() {
    guard case .paused(let limit, let steps) = state else { return }
    state = .paused(limit: limit, steps: steps + 1)
  }

  /// Returns the time to which the clock may move; nil when it must wait.
  ///
  /// - Parameters:
  ///   - now: time of the clock.
  ///   - target: the next moment with due work, or the end of the advance if that is earlier.
  ///   - nextDue: time of the next work, which may be after the target; nil for none.
  mutating func pass(from now: Int, to target: Int, nextDue: Int?) -> Int? {
    guard case .paused(let limit, let steps) = state else { return target }
    if target <= max(now, limit) { return target }
    if steps > 0, let nextDue {
      // A step to work after the target is kept for a later advance.
      if nextDue <= target { state = .paused(limit: limit, steps: steps - 1) }
      return target
    }
    return limit > now ? limit : nil
  }
}
