import Logging
import Sockets

extension WebSocketLog {
  /// A log that writes its lines to `logger`, with metadata.
  ///
  /// ```swift
  /// configuration.log = WebSocketLog(Logger(label: "sockets"))
  /// ```
  ///
  /// | level of a line | level of the logger |
  /// | --- | --- |
  /// | debug: a step | trace |
  /// | info: a connection was opened or closed | debug |
  /// | notice: a server's client caused it | info |
  /// | warning: a problem that is being handled | warning |
  /// | error: a WebSocket failed for good; a fault of the server | error |
  ///
  /// Lines below the logger's level of this moment are not built.
  ///
  /// | metadata | value |
  /// | --- | --- |
  /// | `url.full` | URL of a client, without user, password and query |
  /// | `websocket.connection.id` | number of a server's connection |
  /// | `network.peer.address`, `network.peer.port` | address of a server's connection |
  /// | `client.address` | address of the client, if it differs: behind a trusted proxy |
  /// | `websocket.close.code` | close code, in the line about the end |
  /// | `error.type` | type of the error; the error itself is the event's |
  ///
  /// - Parameter logger: receives the lines on the thread that writes them, often an event loop's
  public init(_ logger: Logger) {
    guard let level = Level.allCases.first(where: { Logger.Level($0) >= logger.logLevel }) else {
      self = .none
      return
    }
    self.init(level, entries: logger.write)
  }
}

extension Logger {
  fileprivate func write(_ entry: WebSocketLog.Entry) {
    log(
      level: Level(entry.level), "\(entry.message)", error: entry.error, metadata: entry.metadata,
      source: "Sockets")
  }
}

extension Logger.Level {
  /// The level for a line of a WebSocket.
  ///
  /// A library that opens a thousand connections a second must not fill a log of level `info`.
  init(_ level: WebSocketLog.Level) {
    switch level {
    case .debug: self = .trace
    case .info: self = .debug
    case .notice: self = .info
    case .warning: self = .warning
    case .error: self = .error
    }
  }
}

extension WebSocketLog.Entry {
  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    if let url { metadata["url.full"] = "\(url)" }
    if let connectionNumber { metadata["websocket.connection.id"] = "\(connectionNumber)" }
    if let peerAddress {
      metadata["network.peer.address"] = "\(peerAddress.host)"
      metadata["network.peer.port"] = peerAddress.port.map { "\($0)" }
      if let clientAddress, clientAddress != peerAddress {
        metadata["client.address"] = "\(clientAddress.host)"
      }
    }
    if let closeCode { metadata["websocket.close.code"] = "\(closeCode.rawValue)" }
    if let error { metadata["error.type"] = "\(type(of: error))" }
    return metadata
  }
}
