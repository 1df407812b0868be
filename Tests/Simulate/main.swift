// Searches for faults of the example apps by seeds. Read SimulatedApp.swift first.

import Foundation
import Inspector
import Reactive
import ReactiveTesting
import Signals
import Sockets

@Sendable func complain(_ line: String) {
  FileHandle.standardError.write(Data("\(line)\n".utf8))
}

@Sendable func show(_ text: String) {
  print(text)
  fflush(nil)
}

let arguments: Arguments
do {
  arguments = try Arguments(CommandLine.arguments.dropFirst())
} catch {
  complain("simulate: \(error)")
  exit(64)
}
if arguments.wantsHelp {
  show(Arguments.help)
  exit(0)
}

let apps = SimulatedApp.all.filter { arguments.apps.isEmpty || arguments.apps.contains($0.name) }
do {
  if arguments.isInspected {
    try await inspect(apps[0], seed: arguments.seeds.lowerBound)
    exit(0)
  }
  if let script = arguments.networkScript {
    exit(try await runWithRealSockets(apps[0], seed: arguments.seeds.lowerBound, script) ? 0 : 1)
  }
} catch {
  complain("simulate: \(error)")
  exit(1)
}

let search = SeedSearch(
  apps, arguments.seeds, runsTwice: arguments.runsTwice, endsAtFirst: arguments.endsAtFirst
) { finding in
  let seconds = String(format: "%.1f", finding.time / .seconds(1))
  show("-- \(finding.app), found after \(seconds) s\n\(finding.failure)\n")
  show(finding.failure.swiftTest(setUp: "SimulatedApp.\(finding.app).setUp") + "\n")
}
let stops = signals(SIGINT, SIGTERM).subscribe(onNext: { _ in search.stop() })
let timeUp = arguments.minutes.map { minutes in
  Observable<Int>.timer(.milliseconds(Int(minutes * 60_000)), scheduler: MainScheduler.instance)
    .subscribe(onNext: { _ in search.stop() })
}
let progress = Observable<Int>.interval(.seconds(5), scheduler: MainScheduler.instance)
  .subscribe(onNext: { _ in complain(search.progress) })
await withCheckedContinuation { continuation in
  DispatchQueue.global().async {
    search.run()
    continuation.resume()
  }
}
progress.dispose()
show(search.progress)
show(search.summary)
exit(search.findings.isEmpty ? 0 : 1)

/// Shows the composers of a run, or of its smallest part that fails, in a browser until the program is interrupted.
func inspect(_ app: SimulatedApp, seed: UInt64) async throws {
  var (part, duration) = (SimulationPart.all, app.duration)
  do {
    try app.run(seed: seed)
  } catch {
    let smallest = Simulation.smallest(error, app.setUp)
    show("\(smallest)\n")
    (part, duration) = (smallest.part, smallest.duration)
  }
  guard let inspector = try Inspector.start() else {
    return complain("simulate: set INSPECT=1, because this is a release build")
  }
  _ = try? Simulation(seed: seed, for: duration, only: part, app.setUp)
  show("The inspector runs until it is interrupted.")
  for try await _ in signals(SIGINT, SIGTERM).values { break }
  inspector.stop()
}

/// Runs an app with real sockets; returns whether its conditions hold.
@MainActor func runWithRealSockets(_ app: SimulatedApp, seed: UInt64, _ script: String) async throws
  -> Bool
{
  let network = RealNetwork(
    script: script, serversFile: ProcessInfo.processInfo.environment["SERVERS_NETWORK"] ?? "")
  let world = RealWorld(network, seed: seed)
  // The event loop, which clients use too, starts here and not in the network of the servers.
  try WebSocketServer().close()
  try app.setUp(world)
  let violated = try await world.run(for: min(app.duration, .seconds(40)))
  let faults = RealNetwork.Fault.allCases.map { "\($0) \(world.faultCounts[$0] ?? 0)" }
  show("\(app.name), seed \(seed), \(faults.joined(separator: ", ")): \(violated ?? "all holds")")
  return violated == nil
}
