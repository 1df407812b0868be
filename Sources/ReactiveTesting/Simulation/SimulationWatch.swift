import Dispatch
import Synchronization

/// Finds what waits for something real, which never arrives while it keeps the thread of the simulation.
///
/// Nothing can end it. It is reported by another thread, and the simulation fails if it returns.
package final class SimulationWatch: Sendable {
  private let names = Locked<[String]>([])
  private let jobCount = Atomic(0)
  /// The index of the machine whose job runs, from 1, times 2, and 1 more while its program starts; 0 for code of
  /// the simulation itself, such as a condition.
  private let place = Atomic(0)
  private let lastCount = Atomic(-1)
  private let hasReported = Atomic(false)

  /// Receives a line for what takes too long.
  @TaskLocal package static var report: @Sendable (String) -> Void = { writeErrorLine($0) }

  /// Adds the machine with the next number.
  func add(_ name: String) { names.withLock { $0.append(name) } }

  /// Notes that a job of a host begins, or code of the simulation itself for nil.
  func begin(_ process: SimulatedProcess?) {
    jobCount.wrappingAdd(1, ordering: .relaxed)
    place.store(
      process.map { 2 * ($0.machine.number + 1) + ($0.program == nil ? 1 : 0) } ?? 0,
      ordering: .relaxed)
  }

  /// Watches while `body` runs.
  ///
  /// - Parameter patience: real time that a job may take; it is found within twice that.
  func watching<Result>(
    _ core: WorldCore, patience: Duration, _ body: () throws(SimulationFailure) -> Result
  ) throws(SimulationFailure) -> Result {
    let timer = DispatchSource.makeTimerSource()
    let interval = DispatchTimeInterval.nanoseconds(
      Int(clamping: max(patience.nanoseconds, 1_000_000)))
    timer.schedule(deadline: .now() + interval, repeating: interval)
    let report = Self.report
    timer.setEventHandler { [self] in
      guard let problem = findBlocked(patience) else { return }
      core.fail(problem)
      report("Simulation of seed \(core.seed): \(problem)")
    }
    timer.activate()
    defer { timer.cancel() }
    return try body()
  }

  /// The problem when what runs has run the last time, too; once.
  private func findBlocked(_ patience: Duration) -> SimulationProblem? {
    let count = jobCount.load(ordering: .relaxed)
    let place = place.load(ordering: .relaxed)
    guard lastCount.exchange(count, ordering: .relaxed) == count,
      !hasReported.exchange(true, ordering: .relaxed)
    else { return nil }
    let what =
      place == 0 ? "a closure or a condition" : place & 1 == 1 ? "its start" : "a job"
    return .unsteered(
      host: place == 0 ? nil : names.withLock { $0[place / 2 - 1] },
      "\(what) waits for something real: it has kept the thread for \(patience) of real time")
  }
}
