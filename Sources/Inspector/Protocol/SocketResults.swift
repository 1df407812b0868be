/// The answer to `sockets`.
struct SocketList: Encodable {
  struct Socket: Encodable {
    let socket: Int
    let name: String
    let side: String
    let reconnects: Bool
    let isLive: Bool
    let state: String
    let detail: String?
    let reconnection: Reconnection?
    let connections: Int
    let extensions: String
    let error: String?
    let closeCode: Int?
    /// Milliseconds by which each direction is delayed; nil for none.
    let delay: Int?
    let messageBytesReceived: Int
    let messageBytesSent: Int
    let metrics: Metrics?

    init(
      _ record: SocketRecord, _ summary: SocketRecord.Summary, isLive: Bool, detail: String?,
      _ redaction: InspectorRedaction
    ) {
      (socket, name, reconnects) = (record.number, summary.name, record.reconnects)
      side = record.isOfServer ? "server" : "client"
      (self.isLive, state, self.detail) = (isLive, "\(summary.state)", detail)
      reconnection = summary.reconnection.flatMap { Reconnection($0, redaction) }
      (connections, extensions) = (summary.connectionCount, summary.extensions)
      error = summary.error.map { redaction.hidingValues(inDescription: $0) }
      closeCode = summary.closeCode
      messageBytesReceived = summary.messageBytesReceived
      messageBytesSent = summary.messageBytesSent
      metrics = record.metrics.map { Metrics($0) }
      let milliseconds = Int(record.delay / .milliseconds(1))
      delay = isLive && milliseconds > 0 ? milliseconds : nil
    }
  }

  /// The attempt of a client that has no connection.
  struct Reconnection: Encodable {
    /// The number of the attempt since the last stable connection, from 1; 0 for the first one.
    let attempt: Int?
    /// Seconds from the end of the connection to the attempt; nil while it is made.
    let delay: Double?
    /// Why the last connection has ended; nil when the peer has closed it.
    let reason: String?

    /// Nil for a client with a connection, and for one that was closed.
    init?(_ state: ReconnectionState, _ redaction: InspectorRedaction) {
      let text = { (error: WebSocketError) in redaction.hidingValues(inDescription: "\(error)") }
      switch state {
      case .connecting(let retry): (attempt, delay, reason) = (retry, nil, nil)
      case .waitingToReconnect(let retry, let delay, let error):
        (attempt, self.delay) = (retry, delay / .seconds(1))
        reason = error.map(text)
      case .disconnected(let error?): (attempt, delay, reason) = (nil, nil, text(error))
      case .idle, .connected, .disconnecting, .disconnected(nil): return nil
      }
    }
  }

  struct Metrics: Encodable {
    let framesReceived: Int
    let framesSent: Int
    let messagesReceived: Int
    let messagesSent: Int
    let bytesReceived: Int
    let bytesSent: Int
    let queuedBytes: Int
    let roundTrip: Double?

    init(_ metrics: WebSocketMetrics) {
      (framesReceived, framesSent) = (metrics.framesReceived, metrics.framesSent)
      (messagesReceived, messagesSent) = (metrics.messagesReceived, metrics.messagesSent)
      (bytesReceived, bytesSent) = (metrics.bytesReceived, metrics.bytesSent)
      queuedBytes = metrics.queuedBytes
      roundTrip = metrics.roundTripTime.map { $0 / .seconds(1) }
    }
  }

  let sockets: [Socket]
  /// The number of those that are left out.
  let moreSockets: Int
  /// The number of all that are live.
  let live: Int
}

/// The answer to `servers`.
struct ServerList: Encodable {
  struct Server: Encodable {
    let url: String
    let open: Int
    let handshaking: Int
    let accepted: Int
    let opened: Int
    let refused: [String: Int]
    let answered: [String: Int]
    let closed: [String: Int]
    let failedTLS: Int
    let timedOut: Int
    let bytesReceived: Int
    let bytesSent: Int
    let messagesReceived: Int
    let messagesSent: Int
    let queuedBytes: Int
    let heldBytes: Int
    let loopLag: Double

    init(_ url: String, _ totals: WebSocketServerTotals) {
      func texts(_ counts: [Int: Int]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.map { ("\($0.key)", $0.value) })
      }
      self.url = url
      (open, handshaking) = (totals.open, totals.handshaking)
      (accepted, opened) = (totals.accepted, totals.opened)
      (refused, answered) = (texts(totals.refused), texts(totals.answered))
      closed = Dictionary(
        uniqueKeysWithValues: totals.closed.map { ("\($0.key.rawValue)", $0.value) })
      (failedTLS, timedOut) = (totals.failedTLS, totals.timedOut)
      (bytesReceived, bytesSent) = (totals.bytesReceived, totals.bytesSent)
      (messagesReceived, messagesSent) = (totals.messagesReceived, totals.messagesSent)
      (queuedBytes, heldBytes) = (totals.queuedBytes, totals.heldBytes)
      loopLag = totals.loopLag / .seconds(1)
    }
  }

  let servers: [Server]
}

/// The answer to `message`.
struct MessageContent: Encodable {
  /// The text; nil for a message of data.
  let text: String?
  let base64: String?
}
