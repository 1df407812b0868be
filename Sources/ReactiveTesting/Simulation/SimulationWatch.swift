import Dispatch
import Synchronization

/// Finds a job that waits for something real, which never arrives while the job keeps the thread.
///
/// Nothing can end such a job. It is reported by another thread, and the simulation fails if it returns.
package final class SimulationWatch: Sendable {
  private let names: [String]
  private let jobCount = Atomic(0)
  /// The index of the machine whose job runs, from 1, times 2, and 1 while its program starts; 0 for none.
  private let place = Atomic(0)
  private let lastCount = Atomic(-1)
  private let hasReported = Atomic(false)

  /// Receives a line for each job that takes too long.
  @TaskLocal package static var report: @Sendable (String) -> Void = { writeErrorLine($0) }

  init(_ machines: [SimulatedMachine]) { names = machines.map(\.name) }

  /// Notes that a job of a host, or of the world itself, begins.
  func begin(_ process: SimulatedProcess?) {
    jobCount.wrappingAdd(1, ordering: .relaxed)
    place.store(
      process.map { 2 * ($0.machine.number + 1) + ($0.program == nil ? 1 : 0) } ?? 0,
      ordering: .relaxed)
  }

  /// Notes that the job has ended.
  func end() { place.store(0, ordering: .relaxed) }

  /// Watches while `body` runs.
  ///
  /// - Parameter patience: real time that a job may take.
  func watching(
    _ core: WorldCore, patience: Duration, _ body: () throws(SimulationProblem) -> Void
  ) throws(SimulationProblem) {
    let timer = DispatchSource.makeTimerSource()
    let interval = DispatchTimeInterval.nanoseconds(Int(clamping: patience.nanoseconds))
    timer.schedule(deadline: .now() + interval, repeating: interval)
    let report = Self.report
    timer.setEventHandler { [self] in
      guard let problem = findBlocked(patience) else { return }
      core.fail(problem)
      report("Simulation of seed \(core.seed): \(problem)")
    }
    timer.activate()
    defer { timer.cancel() }
    try body()
  }

  /// The problem when a job of a host runs which ran the last time, too; once.
  private func findBlocked(_ patience: Duration) -> SimulationProblem? {
    let count = jobCount.load(ordering: .relaxed)
    let place = place.load(ordering: .relaxed)
    guard lastCount.exchange(count, ordering: .relaxed) == count, place > 0,
      !hasReported.exchange(true, ordering: .relaxed)
    else { return nil }
    let what = place & 1 == 1 ? "its start" : "a job"
    return .unsteered(
      host: names[place / 2 - 1],
      "\(what) waits for something real: it has kept the thread for \(patience) of real time")
  }
}
