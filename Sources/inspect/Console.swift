import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The standard output and standard error, line by line.
enum Console {
  /// Writes a line, and waits while a slow terminal has no room.
  static func print(_ line: String) { write(line, to: .standardOutput) }

  /// Writes a line to standard error.
  static func note(_ line: String) { write(line.visible, to: .standardError) }

  /// Writes a problem to standard error, in one line.
  static func complain(_ problem: some Error) { note("inspect: \(problem)") }

  /// Whether the output shows colours: a terminal, and `NO_COLOR` is not set (https://no-color.org).
  static var isColoured: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// The columns of the terminal now; nil when the standard output is no terminal.
  static var columns: Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    // A terminal that does not know its size, such as a serial line, has 0.
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return .max }
    return Int(size.ws_col)
  }

  // Not the standard library's `print`, which buffers lines when the output is not a terminal.
  private static func write(_ line: String, to file: FileHandle) {
    try? file.write(contentsOf: Data("\(line)\n".utf8))
  }
}
