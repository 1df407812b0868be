import Foundation

/// The standard output and standard error, line by line.
enum Console {
  static func print(_ line: String) { write(line, to: .standardOutput) }

  /// Writes a problem to standard error, in one line.
  static func complain(_ problem: some Error) {
    write("dashboard: \(Format.printable("\(problem)"))", to: .standardError)
  }

  // Not the standard library's `print`, which buffers lines when the output is not a terminal.
  private static func write(_ line: String, to file: FileHandle) {
    try? file.write(contentsOf: Data("\(line)\n".utf8))
  }
}
