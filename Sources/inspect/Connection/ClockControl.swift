/// What to do with a virtual clock.
enum ClockControl: Equatable, Sendable {
  case pause, resume
  /// - Parameter by: seconds; nil for the next moment with due work.
  case step(by: Double?)
}

extension InspectorConnection {
  /// The virtual clocks of the program.
  func clocks() async throws -> [ClockInfo] { try await self(Requests.Clocks()).clocks }

  /// The clock with this number; the only one for nil.
  func clock(_ number: Int?) async throws -> ClockInfo {
    let clocks = try await clocks()
    guard let number else {
      if clocks.count == 1 { return clocks[0] }
      let numbers = clocks.map { "\($0.clock)" }.joined(separator: ", ")
      throw InspectError.invalid(
        clocks.isEmpty
          ? "The program has no virtual clock. See the documentation of VirtualTime."
          : "The program has \(clocks.count) virtual clocks. Give a number: \(numbers).")
    }
    guard let clock = clocks.first(where: { $0.clock == number }) else {
      throw InspectError.unknown(
        "virtual clock", "\(number)", known: clocks.map { "\($0.clock)" })
    }
    return clock
  }

  /// Controls a clock, and returns what it may do now.
  func control(_ number: Int?, _ control: ClockControl) async throws -> String {
    let clock = try await clock(number)
    let name = "Clock \(clock.clock)"
    switch control {
    case .pause:
      _ = try await self(Requests.PauseClock(clock: clock.clock))
      return "\(name) is paused."
    case .resume:
      _ = try await self(Requests.ResumeClock(clock: clock.clock))
      return "\(name) runs."
    case .step(let seconds?):
      _ = try await self(Requests.StepClock(clock: clock.clock, by: seconds))
      return "\(name) may move by \(Figures.seconds(seconds)) s."
    case .step(nil):
      _ = try await self(Requests.StepClock(clock: clock.clock))
      let next = clock.nextDue.map { ", due at \(Figures.seconds($0)) s" } ?? ""
      return "\(name) may run up to the next work\(next)."
    }
  }
}
