/// The requests about virtual clocks, and their notifications.
extension InspectorSession {
  /// The longest step, in seconds: about 30 years.
  private static let stepLimit = 1e9

  func clocks() -> ClockList {
    ClockList(
      clocks: program.virtualClocks.live.map { ClockList.Clock($0.number, $0.clock.status) })
  }

  func pauseClock(_ params: Params.Clock) throws -> Empty {
    try checkActing()
    try program.virtualClocks.clock(params.clock).pause()
    return Empty()
  }

  func resumeClock(_ params: Params.Clock) throws -> Empty {
    try checkActing()
    try program.virtualClocks.clock(params.clock).resume()
    return Empty()
  }

  func stepClock(_ params: Params.StepClock) throws -> Empty {
    try checkActing()
    let clock = try program.virtualClocks.clock(params.clock)
    guard clock.status.isPaused else {
      throw RPCError.cannotAct("Clock \(params.clock) is not paused. Pause it first.")
    }
    if let seconds = params.by {
      guard seconds > 0, seconds <= Self.stepLimit else {
        throw RPCError.invalidParams(
          "A step has more than 0 and at most \(Int(Self.stepLimit)) seconds, not \(seconds).")
      }
      clock.step(by: .seconds(seconds))
    } else if !clock.stepToNext() {
      throw RPCError.cannotAct(
        "Nothing is scheduled on clock \(params.clock). Step by some seconds, or send an action first."
      )
    }
    return Empty()
  }

  /// Sends the clocks when they have changed.
  func notifyClocks() {
    guard views[.clocks] != nil else { return }
    let list = clocks()
    guard list != sentClocks else { return }
    sentClocks = list
    notify("clocks", list)
  }
}
