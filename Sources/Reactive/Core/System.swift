#if canImport(Glibc)
import CReactiveSystem
import Glibc
#elseif canImport(Musl)
import CReactiveSystem
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// What is asked of the system here and not of Foundation, whose size a program that is linked statically would
// have.

/// Writes a line to standard error.
package func writeErrorLine(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Whether the calling thread is the one that the process began with.
var isFirstThread: Bool {
  #if canImport(Darwin)
  pthread_main_np() == 1
  #else
  csystem_is_first_thread() == 1
  #endif
}

/// The calls that the thread is in, the latest first.
@Sendable func currentCallStack() -> [String] {
  var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: 128)
  #if canImport(Darwin)
  let count = backtrace(&addresses, Int32(addresses.count))
  let symbols = backtrace_symbols(&addresses, count)
  #else
  let count = csystem_backtrace(&addresses, Int32(addresses.count))
  let symbols = csystem_backtrace_symbols(&addresses, count)
  #endif
  guard let symbols else { return [] }
  defer { free(symbols) }
  // Without this function.
  return (0..<Int(count)).dropFirst().map { symbols[$0].map { String(cString: $0) } ?? "?" }
}

/// The local time, as `2026-02-28 23:59:59.123`.
func localTimestamp() -> String {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  var parts = tm()
  localtime_r(&now.tv_sec, &parts)
  func digits(_ number: some BinaryInteger, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
  let day =
    "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
  let time = "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
  return "\(day) \(time).\(digits(now.tv_nsec / 1_000_000, 3))"
}
