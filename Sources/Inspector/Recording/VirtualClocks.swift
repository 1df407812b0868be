/// The virtual clocks of a program's composers, numbered from 1.
final class VirtualClocks: Sendable {
  private struct KnownClock {
    // Weak: a clock ends with the program's virtual time.
    weak var clock: (any SteppableClock)?
    let number: Int
  }

  private struct State {
    var known: [KnownClock] = []
    var lastNumber = 0
  }

  private let state = Locked(State())
  private let startsPaused: Bool

  /// - Parameter startsPaused: whether clocks are paused when they are first known.
  init(startsPaused: Bool) { self.startsPaused = startsPaused }

  /// The number of the clock of a composer, which is known from now on; nil for one that is not virtual.
  func number(of scheduler: any SchedulerType) -> Int? {
    guard let clock = scheduler as? any SteppableClock else { return nil }
    let (number, isNew) = state.withLock { state in
      if let known = state.known.first(where: { $0.clock === clock }) {
        return (known.number, false)
      }
      state.known.removeAll { $0.clock == nil }
      state.lastNumber += 1
      state.known.append(KnownClock(clock: clock, number: state.lastNumber))
      return (state.lastNumber, true)
    }
    if isNew, startsPaused { clock.pause() }
    return number
  }

  /// The clocks that can be advanced, with their numbers.
  var live: [(number: Int, clock: any SteppableClock)] {
    let known = state.withLock { $0.known }
    return known.compactMap { known in known.clock.map { (known.number, $0) } }
      .filter { $0.clock.status.isLive }
  }

  /// The clock with this number.
  func clock(_ number: Int) throws(RPCError) -> any SteppableClock {
    guard let found = live.first(where: { $0.number == number }) else {
      throw .unknown("virtual clock", number)
    }
    return found.clock
  }

  /// Lets the time of all clocks move freely.
  func stop() { for (_, clock) in live { clock.resume() } }
}
