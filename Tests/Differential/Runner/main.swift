#if os(Linux)
import CReactiveSystem
#endif
import DifferentialGraphs
import Foundation

// differential COUNT [FIRST]: runs the graphs of COUNT seeds, from FIRST on, and prints those for which
// Reactive and the reference differ. The progress is printed to standard error: a graph that
// does not end follows the last printed seed. The second half of the graphs must leave no memory behind.

let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard let count = numbers.first else {
  print("Usage: differential COUNT [FIRST]")
  exit(2)
}
let first = numbers.dropFirst().first ?? 0
let differential = Differential()
var differences = 0
var heapHalfway = 0
for seed in first..<first + count {
  if (seed - first) % 50_000 == 0 {
    FileHandle.standardError.write(Data("From seed \(seed) on\n".utf8))
  }
  if seed - first == count / 2 { heapHalfway = heapInUse() }
  guard let difference = differential.difference(seed) else { continue }
  print(difference)
  fflush(nil)
  differences += 1
  // Further differences repeat the first ones.
  if differences == 5 { break }
}
let growth = heapInUse() - heapHalfway
print("\(count) graphs from seed \(first): \(differences) differences, heap growth \(growth) bytes")
// The buffers of the system's allocator and of the output are smaller.
let isFlat = growth < 65_536
exit(differences == 0 && isFlat ? 0 : 1)

/// The allocated bytes; 0 on systems without this figure.
func heapInUse() -> Int {
  #if os(Linux)
  Int(csystem_heap_in_use())
  #else
  0
  #endif
}
