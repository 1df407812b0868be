import Dispatch
import Foundation
import Reactive
import ReactiveTesting
import Synchronization

/// Runs the seeds of apps on all cores, and collects what is found.
final class SeedSearch: Sendable {
  /// A seed that has failed.
  struct Finding: Sendable {
    let app: String
    let failure: SimulationFailure
    /// The real time of the search until then.
    let time: Duration
  }

  private struct Totals {
    var finished = 0
    var simulated: Duration = .zero
    /// The sum of the hashes, which is the same in whatever order the runs end.
    var hash: UInt64 = 0
    var faultCounts: [SimulatedFault.Kind: Int] = [:]
    var findings: [Finding] = []
    /// The problems that are known, by app: only the first run of each is made smaller.
    var known: [String: [SimulationProblem]] = [:]
  }

  private let apps: [SimulatedApp]
  private let seeds: ClosedRange<UInt64>
  private let runsTwice: Bool
  private let endsAtFirst: Bool
  private let report: @Sendable (Finding) -> Void
  private let next = Atomic(0)
  private let isStopped = Atomic(false)
  private let totals = Locked(Totals())
  private let start = ContinuousClock.now

  /// - Parameters:
  ///   - runsTwice: whether each seed is run twice, and the two runs are compared.
  ///   - endsAtFirst: whether no further run is begun once something is found.
  ///   - report: called with the smallest run of each problem when it is known, by any thread.
  init(
    _ apps: [SimulatedApp], _ seeds: ClosedRange<UInt64>, runsTwice: Bool = false,
    endsAtFirst: Bool = false,
    report: @escaping @Sendable (Finding) -> Void
  ) {
    (self.apps, self.seeds, self.report) = (apps, seeds, report)
    (self.runsTwice, self.endsAtFirst) = (runsTwice, endsAtFirst)
  }

  /// Begins no further run.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  var findings: [Finding] { totals.withLock { $0.findings } }

  private var runCount: Int {
    let (count, isOverflow) = Int(clamping: seeds.upperBound - seeds.lowerBound)
      .addingReportingOverflow(1)
    let (product, isTooMuch) = count.multipliedReportingOverflow(by: apps.count)
    return isOverflow || isTooMuch ? .max : product
  }

  /// Runs all seeds, the first of each app first; returns when all have ended.
  func run() {
    DispatchQueue.concurrentPerform(
      iterations: ProcessInfo.processInfo.activeProcessorCount
    ) { _ in
      while let (app, seed) = takeNext() { run(app, seed) }
    }
  }

  private func takeNext() -> (SimulatedApp, UInt64)? {
    if isStopped.load(ordering: .relaxed) { return nil }
    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
    guard index < runCount else { return nil }
    return (apps[index % apps.count], seeds.lowerBound + UInt64(index / apps.count))
  }

  private func run(_ app: SimulatedApp, _ seed: UInt64) {
    do throws(SimulationFailure) {
      let simulation = try app.run(seed: seed, twice: runsTwice)
      totals.withLock {
        $0.finished += 1
        $0.simulated += app.duration
        $0.hash &+= simulation.hash
        $0.faultCounts.merge(simulation.faultCounts, uniquingKeysWith: +)
      }
    } catch {
      let time = ContinuousClock.now - start
      let isNew = totals.withLock { totals in
        totals.finished += 1
        totals.simulated += error.time
        totals.findings.append(Finding(app: app.name, failure: error, time: time))
        let problem = error.problem
        if totals.known[app.name, default: []].contains(where: problem.isLike) { return false }
        totals.known[app.name, default: []].append(problem)
        return true
      }
      if isNew {
        if endsAtFirst { stop() }
        let smallest = Simulation.smallest(error, app.setUp)
        report(Finding(app: app.name, failure: smallest, time: time))
      }
    }
  }

  /// One line: how far it is and how fast.
  var progress: String {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return totals.withLock { totals in
      let hours = totals.simulated / .seconds(3_600)
      return "\(totals.finished) of \(runCount) runs, \(totals.findings.count) failed"
        + String(
          format: "; %.1f runs and %.2f simulated hours a second, after %.0f s",
          Double(totals.finished) / seconds, hours / seconds, seconds)
    }
  }

  /// What was run and found.
  var summary: String {
    totals.withLock { totals in
      let counts = SimulatedFault.Kind.allCases.map { kind in
        "\(kind.rawValue) \(totals.faultCounts[kind] ?? 0)"
      }
      let failed = Dictionary(grouping: totals.findings) { $0.app }.sorted { $0.key < $1.key }
      let found = failed.map { app, findings in
        let seeds = findings.map(\.failure.seed).sorted().map(String.init)
        return "\(app): found with the seeds \(seeds.joined(separator: ", "))"
      }
      return
        (["faults: " + counts.joined(separator: ", ")]
        // The same in debug and release.
        + ["hash: \(String(totals.hash, radix: 16))"] + found)
        .joined(separator: "\n")
    }
  }
}
