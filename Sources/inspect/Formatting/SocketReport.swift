/// Describes sockets in a table.
enum SocketReport {
  private static let columns: [TextTable.Column] = [
    .right("#"), .left("socket"), .left("side"), .left("state"), .right("received"),
    .right("bytes"), .right("sent"), .right("bytes"), .right("queued"), .left("notes"),
  ]

  static func lines(_ sockets: [SocketInfo]) -> [StyledText] {
    let (head, rows) = TextTable.lines(columns, sockets.map(cells))
    return [StyledText(head, .bold)]
      + zip(sockets, rows).map { StyledText($1, $0.isLive ? .plain : .faint) }
  }

  private static func cells(_ socket: SocketInfo) -> [String] {
    func count(_ number: Int?) -> String { number.map { Figures.count($0) } ?? "" }
    return [
      "\(socket.socket)", socket.name.visible, socket.side.visible, socket.state.visible,
      count(socket.metrics?.messagesReceived), count(socket.messageBytesReceived),
      count(socket.metrics?.messagesSent), count(socket.messageBytesSent),
      count(socket.metrics?.queuedBytes), notes(socket).joined(separator: ", ").visible,
    ]
  }

  private static func notes(_ socket: SocketInfo) -> [String] {
    var notes: [String] = []
    if socket.reconnects {
      notes.append("reconnects, \(Figures.count(socket.connections, "connection"))")
      if let detail = socket.detail, detail != socket.state { notes.append(detail) }
    }
    if !socket.extensions.isEmpty { notes.append(socket.extensions) }
    if let delay = socket.delay { notes.append("slowed down by \(Figures.count(delay)) ms") }
    if let time = socket.metrics?.roundTrip {
      notes.append("round trip \(Figures.milliseconds(time)) ms")
    }
    if let error = socket.error { notes.append(error) }
    if let code = socket.closeCode { notes.append("ended with \(code)") }
    return notes
  }
}
