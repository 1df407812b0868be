extension WebSocketLog {
  /// A line of a log, with its facts.
  ///
  /// Text of a peer in it cannot begin a new line or send control sequences to a terminal.
  public struct Entry: Sendable {
    /// The connection that a line is about.
    enum Subject: Sendable {
      case none
      case client(String)
      case server(RemoteClient)
    }

    /// The severity.
    public let level: Level
    /// What happened, without the name of the connection: `closed, 1000 bye`.
    public let message: String
    /// How the WebSocket was closed; nil for other lines.
    public let closeCode: CloseCode?
    /// The error that is the reason of the line; nil for other lines.
    public let error: (any Error)?
    private let subject: Subject

    init(
      _ level: Level, _ message: String, of subject: Subject = .none,
      closeCode: CloseCode? = nil, error: (any Error)? = nil
    ) {
      self.level = level
      self.message = message.onOneLine
      self.subject = subject
      self.closeCode = closeCode
      self.error = error
    }

    /// The URL of a client, without user, password and query; nil for a server's line.
    public var url: String? {
      if case .client(let url) = subject, !url.isEmpty { url } else { nil }
    }

    /// The number of a server's connection, from 1 on; nil for other lines.
    public var connectionNumber: Int? { remoteClient?.number }

    /// The address of a server's connection: the client's, or that of the last proxy; nil for other
    /// lines.
    public var peerAddress: NetworkAddress? { remoteClient?.peerAddress }

    /// The address of a server's client, as ``WebSocketAdmission/proxies`` report it; nil for other lines.
    public var clientAddress: NetworkAddress? { remoteClient?.address }

    private var remoteClient: RemoteClient? {
      if case .server(let client) = subject { client } else { nil }
    }

    /// The line of a log that is text: the name of the connection, and the message.
    public var line: String {
      switch subject {
      case .client(let url) where !url.isEmpty: "\(url.onOneLine): \(message)"
      case .server(let client): "\(client): \(message)"
      case .client, .none: message
      }
    }
  }
}
