import Foundation

/// The CPU time of all threads of this process, in nanoseconds.
///
/// Excludes the time of other processes, which makes figures of a busy machine comparable, and waiting.
func cpuNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Monotonic wall-clock time, in nanoseconds.
func wallNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
