#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where sockets write what happens to them: one closure, and the least level that it is asked for.
///
/// ```swift
/// configuration.log = .standardError(.debug)
/// configuration.log = WebSocketLog(.warning) { level, line in logger.write("\(level) \(line)") }
/// ```
public struct WebSocketLog: Sendable {
  /// How much a line matters.
  public enum Level: Int, Comparable, CaseIterable, Sendable {
    /// Every step, for whoever looks for a fault.
    case debug
    /// Connected, closed.
    case info
    /// What a server's clients do: a request was refused, a handshake came to nothing, a connection broke or was
    /// closed for what the client has sent.
    case notice
    /// Something went wrong and is being mended, as by connecting again, or by closing connections because a server
    /// holds too much.
    case warning
    /// It is over; of a server, what is wrong with itself, such as a closure that throws.
    case error

    /// By how much it matters.
    public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
  }

  /// The least level that is written; nil when nothing is.
  public let level: Level?
  private let sink: @Sendable (Level, String) -> Void

  /// A log that hands every line of `level` or above to `sink`: on the thread where it happened, which
  /// may be the event loop's, so `sink` must not block.
  public init(_ level: Level = .info, to sink: @escaping @Sendable (Level, String) -> Void) {
    self.level = level
    self.sink = sink
  }

  private init() {
    level = nil
    sink = { _, _ in }
  }

  /// Writes nothing; the default everywhere.
  public static let none = WebSocketLog()

  /// Writes lines such as `[warning] the connection ended without a close frame` to standard error.
  public static func standardError(_ level: Level = .info) -> WebSocketLog {
    WebSocketLog(level) { level, line in
      writeErrorLine("[\(level)] \(line)")
    }
  }

  /// Writes a line, which is made only if somebody wants it.
  ///
  /// What a peer has put into it begins no line of its own, and gives a terminal no orders.
  func write(_ level: Level, _ line: @autoclosure () -> String) {
    if let least = self.level, level >= least { sink(level, line().onOneLine) }
  }
}

extension String {
  /// The same with control characters, and those that end a line or turn its direction, written as escapes.
  fileprivate var onOneLine: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.map { $0.isControl ? $0.escaped(asASCII: true) : String($0) }.joined()
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}
