import Foundation

/// The places of this package's files.
package enum Repository {
  /// The root of the repository.
  package static let root = folder(above: 4, of: "\(#filePath)")

  /// The folder of this build's products.
  package static let products = folder(above: 1, of: Bundle.main.executablePath ?? "")

  private static func folder(above levels: Int, of path: String) -> URL {
    (0..<levels).reduce(URL(filePath: path)) { url, _ in url.deletingLastPathComponent() }
  }
}

/// A program that is run for its output.
package enum Command {
  package struct Failure: Error, CustomStringConvertible {
    let command: String
    let output: String
    package var description: String { "\(command) failed:\n\(output)" }
  }

  /// Runs a program, and returns what it prints.
  @discardableResult
  package static func run(_ words: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      throw Failure(command: words.joined(separator: " "), output: output)
    }
    return output
  }
}
