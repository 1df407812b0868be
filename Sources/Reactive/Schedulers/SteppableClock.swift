/// A virtual clock that another thread may pause and step, such as a tool that looks inside a program.
///
/// The work of the clock runs on the thread that advances it, never on that of the caller. While the clock
/// is paused, that thread waits before it moves the clock to a later moment. It still runs work that is
/// ready at the current one.
package protocol SteppableClock: AnyObject, Sendable {
  /// What the clock shows, and whether it waits.
  var status: SteppableClockStatus { get }

  /// Lets the time move only as steps allow, from now on; earlier steps that are not used yet end.
  func pause()

  /// Lets the time move freely.
  func resume()

  /// Lets a paused clock move by `interval`, after what earlier steps allow.
  ///
  /// Without effect on a clock that is not paused.
  func step(by interval: Duration)

  /// Lets a paused clock move up to the next moment with due work, in this or a later advance.
  ///
  /// Returns false, and allows nothing, when the clock waits and no work is scheduled. Without effect on a
  /// clock that is not paused.
  func stepToNext() -> Bool
}

/// What a steppable clock shows.
package struct SteppableClockStatus: Equatable, Sendable {
  /// Whether the time moves only as steps allow.
  package var isPaused: Bool
  /// Whether the thread that advances the clock waits for a step.
  package var isWaiting: Bool
  /// The seconds since the clock's beginning.
  package var elapsed: Double
  /// The time of the next work, in the same seconds, when the thread last looked; nil for none.
  package var nextDue: Double?
  /// Whether the clock can still be advanced.
  package var isLive: Bool

  package init(
    isPaused: Bool, isWaiting: Bool, elapsed: Double, nextDue: Double?, isLive: Bool
  ) {
    self.isPaused = isPaused
    self.isWaiting = isWaiting
    self.elapsed = elapsed
    self.nextDue = nextDue
    self.isLive = isLive
  }
}
