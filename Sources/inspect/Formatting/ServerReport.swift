/// Describes servers in a few lines each.
enum ServerReport {
  static func lines(_ servers: [ServerInfo]) -> [StyledText] { servers.flatMap(lines) }

  private static func lines(_ server: ServerInfo) -> [StyledText] {
    func count(_ number: Int) -> String { Figures.count(number) }
    let figures: [(String, String)] = [
      ("open", "\(count(server.open)), \(count(server.handshaking)) in the handshake"),
      ("accepted", "\(count(server.accepted)), \(count(server.opened)) opened"),
      (
        "received",
        "\(Figures.count(server.messagesReceived, "message")), "
          + Figures.count(server.bytesReceived, "byte")
      ),
      (
        "sent",
        "\(Figures.count(server.messagesSent, "message")), "
          + Figures.count(server.bytesSent, "byte")
      ),
      ("waiting", "\(count(server.queuedBytes)) bytes to send, \(count(server.heldBytes)) held"),
      ("loop lag", "\(Figures.milliseconds(server.loopLag)) ms"),
      ("refused", counts(server.refused)), ("answered", counts(server.answered)),
      ("closed", counts(server.closed)),
      ("failed TLS", server.failedTLS == 0 ? "" : count(server.failedTLS)),
      ("timed out", server.timedOut == 0 ? "" : count(server.timedOut)),
    ]
    return [StyledText(server.url, .bold)]
      + figures.filter { !$0.1.isEmpty }.map { StyledText("  \($0.left(10))  \($1)") }
  }

  /// `1000: 12, 1001: 3`.
  private static func counts(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key): \(Figures.count($0.value))" }
      .joined(separator: ", ")
  }
}
