import Foundation

/// The command of an input line.
enum Input: Equatable {
  case toggle, quit, send(String)

  init(_ line: String) {
    switch line {
    case "/c": self = .toggle
    case "/q": self = .quit
    default: self = .send(line)
    }
  }

  /// The lines of the standard input, until it ends.
  static var lines: AsyncStream<String> {
    AsyncStream { continuation in
      // `readLine` blocks, so it has a thread of its own.
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}
