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
/// The first test of each kind has the metadata of its types made, and may take longer.
func measured(
  _ test: String = #function,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) rethrows {
  let start = threadTime
  try body()
  let milliseconds = (threadTime - start) * 1_000
  let isFirst = seen.withLock { $0.insert(test).inserted }
  if milliseconds > 10, !isFirst {
    Issue.record("computes for \(milliseconds) ms", sourceLocation: sourceLocation)
  }
}

private let seen = Mutex<Set<String>>([])
