/// A log for sockets: one closure, and the lowest level that it receives.
///
/// ```swift
/// configuration.log = .standardError(.debug)
/// configuration.log = WebSocketLog(.warning) { level, line in logger.write("\(level) \(line)") }
/// ```
///
/// `WebSocketLog(_:entries:)` passes on each line with its facts apart: connection, addresses, close code
/// and error.
public struct WebSocketLog: Sendable {
  /// The severity of a line.
  public enum Level: Int, Comparable, CaseIterable, Sendable {
    /// Every step, for the search for a fault.
    case debug
    /// A connection was opened or closed.
    case info
    /// A server's client caused it: a refused request, a failed handshake, or a connection that
    /// broke or was closed for what the client sent.
    case notice
    /// A problem that is being handled, as by connecting again, or by closing connections because a
    /// server holds too many bytes.
    case warning
    /// A WebSocket failed for good; of a server, a fault of its own, such as a closure that throws.
    case error

    /// Orders levels by severity, `debug` first.
    public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
  }

  /// The lowest level that is written; nil when no line is.
  package let level: Level?
  private let sink: @Sendable (Entry) -> Void

  /// A log that passes each line of `level` or above to `sink`.
  ///
  /// `sink` must not block: it runs on the thread that writes the line, often an event loop's.
  public init(_ level: Level = .info, to sink: @escaping @Sendable (Level, String) -> Void) {
    self.init(level, entries: { sink($0.level, $0.line) })
  }

  /// A log that passes each line of `level` or above to `sink`, with its facts.
  ///
  /// `sink` must not block: it runs on the thread that writes the line, often an event loop's.
  public init(_ level: Level = .info, entries sink: @escaping @Sendable (Entry) -> Void) {
    self.level = level
    self.sink = sink
  }

  private init() {
    level = nil
    sink = { _ in }
  }

  /// Writes nothing; the default everywhere.
  public static let none = WebSocketLog()

  /// Writes lines such as `[warning] the connection ended without a close frame` to standard error.
  public static func standardError(_ level: Level = .info) -> WebSocketLog {
    WebSocketLog(level) { level, line in
      writeErrorLine("[\(level)] \(line)")
    }
  }

  /// Writes a line without facts, which is built only if its level is written.
  package func write(_ level: Level, _ line: @autoclosure () -> String) {
    write(level) { Entry(level, line()) }
  }

  /// Writes a line, which is built only if its level is written.
  package func write(_ level: Level, entry: () -> Entry) {
    if let least = self.level, level >= least { sink(entry()) }
  }
}

extension String {
  /// The text with control characters, line ends and direction marks written as escapes.
  var onOneLine: String {
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
