import Foundation
import Synchronization
import Testing

/// Returns the CPU time of the calling thread in seconds.
private var threadTime: Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Runs the body of a test, and records an issue when it uses more than 10 ms of CPU time.
///
/// The first cases of a test make the metadata of types: cases that start before the first end
/// are not measured.
func measured(
  _ test: String = #function,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) rethrows {
  let isWarm = ended.withLock { $0.contains(test) }
  let start = threadTime
  try body()
  let milliseconds = (threadTime - start) * 1_000
  ended.withLock { _ = $0.insert(test) }
  if milliseconds > 10, isWarm {
    Issue.record("computes for \(milliseconds) ms", sourceLocation: sourceLocation)
  }
}

private let ended = Mutex<Set<String>>([])
