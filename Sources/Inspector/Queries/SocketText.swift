extension EventReader {
  /// One line for an event of a socket.
  ///
  func text(of event: SocketEvent) -> String {
    switch event {
    case .received(let message), .sent(let message): text(of: message)
    case .state(let state): "\(state)"
    case .pong(let time?): "pong after \(milliseconds(time))"
    case .pong(nil): "pong"
    case .failed(let error): shown("failed: \(error)")
    case .ended(let code, let reason):
      shown("ended with \(code)" + (reason.isEmpty ? "" : ": \(reason)"))
    case .reconnection(let state): shown(text(of: state))
    }
  }

  private func shown(_ text: String) -> String {
    values.redaction.hidingValues(inDescription: text)
  }

  private func text(of state: ReconnectionState) -> String {
    switch state {
    case .connecting(retry: 0): "connecting"
    case .connecting(let retry): "connecting again, attempt \(retry)"
    case .waitingToReconnect(let retry, let delay, let error):
      "attempt \(retry) follows in \(milliseconds(delay)): "
        + (error.map { "\($0)" } ?? "the peer closed")
    case .disconnected(let error?): "disconnected for good: \(error)"
    case .disconnected(nil): "disconnected for good"
    case .idle, .connected, .disconnecting: "\(state)"
    }
  }

  private func text(of message: WebSocketMessage) -> String {
    guard let text = message.text else { return "\(message.byteCount) bytes of data" }
    // A long text is not parsed: its beginning is enough for a row.
    if text.utf8.count <= 64 << 10, let json = try? AnyJSON(parsing: text) {
      return values.shortText(of: json.hidingAllPairs(values.redaction).plain)
    }
    return CutText(text, limit: 300).replacing { shown($0) }.text
  }

  /// The whole text of a message, or its data.
  func content(of message: WebSocketMessage) -> MessageContent {
    guard let text = message.text else {
      return MessageContent(text: nil, base64: message.data.base64EncodedString())
    }
    guard let json = try? AnyJSON(parsing: text) else {
      return MessageContent(text: shown(text), base64: nil)
    }
    // As it was sent, unless a name hides a value beside it.
    let hidden = json.hidingAllPairs(values.redaction)
    let line = hidden == json ? text : (try? hidden.line) ?? ""
    return MessageContent(text: values.redaction.hidingValues(inJSON: line), base64: nil)
  }

  private func milliseconds(_ duration: Duration) -> String {
    "\((duration / .milliseconds(1) * 10).rounded() / 10) ms"
  }
}
