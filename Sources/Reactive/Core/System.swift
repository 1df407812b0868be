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
  var rest = Array("\(line)\n".utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    // A full pipe that does not block, or a closed one: there is nowhere left to report it.
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}

/// Whether the calling thread is the one that the process began with.
var isFirstThread: Bool {
  #if canImport(Darwin)
  pthread_main_np() == 1
  #else
  csystem_is_first_thread() == 1
  #endif
}

/// The return addresses of the functions that the thread is in, the innermost first.
@inline(never) func returnAddresses(atMost limit: Int) -> [UnsafeMutableRawPointer?] {
  // Without this function.
  var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: limit + 1)
  #if canImport(Darwin)
  let count = backtrace(&addresses, Int32(addresses.count))
  #else
  let count = csystem_backtrace(&addresses, Int32(addresses.count))
  #endif
  return Array(addresses.prefix(Int(count)).dropFirst())
}

/// The calls that the thread is in, the innermost first, with what is known of each function's name.
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
