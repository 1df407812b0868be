/// A message of an ActionCable server (protocol `actioncable-v1-json`).
enum CableFrame: Hashable {
  /// The server accepted the connection: commands may be sent.
  case welcome
  /// A ping, sent every 3 seconds.
  case ping
  /// The server ends the connection; `reconnect` is whether the client may connect again.
  case disconnect(reason: String?, reconnect: Bool)
  case confirmation(identifier: String)
  case rejection(identifier: String)
  case message(identifier: String, JSONValue)

  /// Parses a message; nil when it is binary or not defined by the protocol.
  init?(_ message: WebSocketMessage) {
    guard case .text(let text) = message else { return nil }
    self.init(text)
  }

  /// Parses a text message; nil when it is not defined by the protocol.
  init?(_ text: String) {
    guard let frame = try? JSONValue(parsing: text), case .object(let fields) = frame else {
      return nil
    }
    let identifier = fields["identifier"]?.string
    switch (fields["type"]?.string, identifier) {
    case ("welcome", _): self = .welcome
    case ("ping", _): self = .ping
    case ("disconnect", _):
      // Without `reconnect` the official client does not connect again either.
      let reconnects = fields["reconnect"]?.bool ?? false
      self = .disconnect(reason: fields["reason"]?.string, reconnect: reconnects)
    case ("confirm_subscription", let identifier?): self = .confirmation(identifier: identifier)
    case ("reject_subscription", let identifier?): self = .rejection(identifier: identifier)
    case (_, let identifier?):
      // The field has to exist, but may be `null`.
      guard let message = fields["message"] else { return nil }
      self = .message(identifier: identifier, message)
    default: return nil
    }
  }
}

/// A command of an ActionCable client.
enum CableCommand: Hashable {
  case subscribe
  case unsubscribe
  /// Calls an action of the channel; the data contains the action's name.
  case message(JSONValue)

  /// The text message, with the fields in the order of the official client.
  ///
  /// - Parameter identifier: text of a ``CableIdentifier``.
  func text(for identifier: String) -> String {
    func quoted(_ text: String) -> String { JSONValue.string(text).text }
    let subject = "\"identifier\":" + quoted(identifier)
    return switch self {
    case .subscribe: "{\"command\":\"subscribe\",\(subject)}"
    case .unsubscribe: "{\"command\":\"unsubscribe\",\(subject)}"
    case .message(let data): "{\"command\":\"message\",\(subject),\"data\":\(quoted(data.text))}"
    }
  }
}
