import Foundation
import Synchronization
import Testing

/// How long the thread of the caller has computed, in seconds: without what it waited.
private var threadTime: Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Runs the body of a test, and records an issue when it computes for longer than 10 ms.
///
/// The metadata of types is made once, by the first cases of a test: those that start before one has
/// ended are not judged.
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
