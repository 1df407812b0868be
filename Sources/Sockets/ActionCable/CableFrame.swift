/// What a server of ActionCable says (protocol `actioncable-v1-json`), one text message each.
enum CableFrame: Hashable {
  /// The connection is let in: commands may come.
  case welcome
  /// A sign of life, every 3 seconds.
  case ping
  /// The server ends the connection; `reconnect` tells whether another one is of use.
  case disconnect(reason: String?, reconnect: Bool)
  case confirmation(identifier: String)
  case rejection(identifier: String)
  case message(identifier: String, JSONValue)

  /// Reads a message; nil when it is binary, or says nothing that the protocol knows.
  init?(_ message: WebSocketMessage) {
    guard case .text(let text) = message else { return nil }
    self.init(text)
  }

  /// Reads a text message; nil when it says nothing that the protocol knows.
  init?(_ text: String) {
    guard let frame = try? JSONValue(parsing: text), case .object(let fields) = frame else {
      return nil
    }
    let identifier = fields["identifier"]?.string
    switch (fields["type"]?.string, identifier) {
    case ("welcome", _): self = .welcome
    case ("ping", _): self = .ping
    case ("disconnect", _):
      // Without `reconnect` the official client stays away too.
      let reconnects = fields["reconnect"]?.bool ?? false
      self = .disconnect(reason: fields["reason"]?.string, reconnect: reconnects)
    case ("confirm_subscription", let identifier?): self = .confirmation(identifier: identifier)
    case ("reject_subscription", let identifier?): self = .rejection(identifier: identifier)
    case (_, let identifier?):
      // The name counts: a message may be `null`.
      guard let message = fields["message"] else { return nil }
      self = .message(identifier: identifier, message)
    default: return nil
    }
  }
}

/// What a client of ActionCable says.
enum CableCommand: Hashable {
  case subscribe
  case unsubscribe
  /// Calls an action of the channel; the data has the action's name in it.
  case message(JSONValue)

  /// The text message: the fields in the order of the official client.
  ///
  /// - Parameter identifier: the text of one.
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
