import Foundation

/// The CPU time of all threads of this process, in nanoseconds.
///
/// Time in which another process has the core does not count, which is what makes figures of a busy
/// machine comparable; waiting does not count either.
func cpuNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// A clock on the wall, in nanoseconds.
func wallNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
