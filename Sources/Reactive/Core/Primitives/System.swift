#if canImport(Glibc)
import CReactiveSystem
import Glibc
#elseif canImport(Musl)
import CReactiveSystem
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// These functions call the system and not Foundation, which would enlarge a statically linked
// program.

/// Writes a line to standard error.
package func writeErrorLine(_ line: String) {
  var rest = Array("\(line)\n".utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    // The pipe is full and does not block, or is closed: no channel remains to report that.
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}

/// Whether the calling thread is the main thread of the process.
var isFirstThread: Bool {
  #if canImport(Darwin)
  pthread_main_np() == 1
  #else
  csystem_is_first_thread() == 1
  #endif
}

/// Returns the return addresses on the thread's stack, the innermost first.
@inline(never) func returnAddresses(atMost limit: Int) -> [UnsafeMutableRawPointer?] {
  // One more than `limit`: the first address, in this function, is dropped.
  var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: limit + 1)
  #if canImport(Darwin)
  let count = backtrace(&addresses, Int32(addresses.count))
  #else
  let count = csystem_backtrace(&addresses, Int32(addresses.count))
  #endif
  return Array(addresses.prefix(Int(count)).dropFirst())
}

/// Returns the calls on the thread's stack, the innermost first, with the known function names.
@Sendable func currentCallStack() -> [String] {
  let addresses = returnAddresses(atMost: 128)
  #if canImport(Darwin)
  let symbols = backtrace_symbols(addresses, Int32(addresses.count))
  #else
  let symbols = csystem_backtrace_symbols(addresses, Int32(addresses.count))
  #endif
  guard let symbols else { return [] }
  defer { free(symbols) }
  return addresses.indices.map { symbols[$0].map { String(cString: $0) } ?? "?" }
}

/// Returns the local time in the form `2026-02-28 23:59:59.123`.
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
