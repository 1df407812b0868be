import DifferentialGraphs
import Foundation

// differential COUNT [FIRST]: runs the graphs of COUNT seeds, from FIRST on, and prints those for which
// Reactive and the reference differ. The progress is printed to standard error: a graph that
// does not end follows the last printed seed.

let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard let count = numbers.first else {
  print("Usage: differential COUNT [FIRST]")
  exit(2)
}
let first = numbers.dropFirst().first ?? 0
let differential = Differential()
var differences = 0
for seed in first..<first + count {
  if (seed - first) % 50_000 == 0 {
    FileHandle.standardError.write(Data("From seed \(seed) on\n".utf8))
  }
  guard let difference = differential.difference(seed) else { continue }
  print(difference)
  fflush(nil)
  differences += 1
  // Further differences repeat the first ones.
  if differences == 5 { break }
}
print("\(count) graphs from seed \(first): \(differences) differences")
exit(differences == 0 ? 0 : 1)
