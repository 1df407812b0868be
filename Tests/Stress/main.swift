import Foundation

#if canImport(CReactiveSystem)
import CReactiveSystem
#endif

// stress SECONDS [NAME]: runs each scenario whose name contains NAME for so many seconds, and prints how many
// rounds that were, how many objects were left and by how many bytes the heap grew. A round that finds a
// problem ends the program with status 1; a sanitizer ends it by itself.

let arguments = CommandLine.arguments.dropFirst()
guard let seconds = arguments.first.flatMap(Double.init) else {
  print("Usage: stress SECONDS [NAME]")
  exit(2)
}
let name = arguments.dropFirst().first ?? ""
let scenarios = Scenario.all.filter { name.isEmpty || $0.name.contains(name) }
let workers = WorkerThreads(count: 4)

/// The number of allocated bytes; 0 where it is unknown.
func heapBytes() -> Int {
  #if canImport(CReactiveSystem) && !SANITIZED
  Int(csystem_heap_in_use())
  #else
  0
  #endif
}

/// Runs one round; returns a problem or nil.
func runRound(of scenario: Scenario) -> String? {
  do {
    let round = scenario.makeRound()
    workers.run(round.jobs)
    if let problem = round.problem() { return problem }
  }
  // Queues release their last work with a delay.
  wait { Counted.live == 0 }
  return Counted.live == 0 ? nil : "\(Counted.live) objects are left"
}

/// Runs rounds for a number of seconds; returns the number of rounds.
func run(_ scenario: Scenario, seconds: Double) -> Int {
  let (start, length) = (ContinuousClock.now, Duration.seconds(seconds))
  var rounds = 0
  while start.duration(to: .now) < length {
    rounds += 1
    if let problem = runRound(of: scenario) {
      print("\(scenario.name): round \(rounds): \(problem)")
      exit(1)
    }
  }
  return rounds
}

/// The accepted growth of the heap, which threads and queues cause.
let growthLimit = 256 * 1024

for scenario in scenarios {
  _ = run(scenario, seconds: seconds / 5)
  let before = heapBytes()
  let rounds = run(scenario, seconds: seconds)
  let growth = heapBytes() - before
  print("\(rounds) rounds, 0 objects left, heap \(growth) bytes: \(scenario.name)")
  fflush(nil)
  guard growth < growthLimit else {
    print("The heap has grown by more than \(growthLimit) bytes")
    exit(1)
  }
}
print("\(scenarios.count) scenarios passed")
exit(0)
