import Sockets

// Conversions to and from actions.

extension DashboardComposer.Action {
  /// The action of a socket's event; nil for `disconnected`, because the end of the effect is an action.
  init?(_ event: WebSocketEvent) {
    switch event {
    case .connected: self = .connected
    case .message(let message): self = .message(message)
    case .error(let error): self = .failed(error)
    case .disconnected: return nil
    }
  }

  /// The action of a message: a sample, or any other text.
  private static func message(_ message: WebSocketMessage) -> Self {
    let data = message.data
    do {
      return .sample(try Sample(json: data), bytes: data.count)
    } catch {
      // One line is shown, so the beginning is enough.
      let text = message.text.map { String($0.prefix(200)) } ?? "\(data.count) bytes of data"
      return .message(text, bytes: data.count)
    }
  }

  /// The action of a key; nil for a key without an action.
  init?(_ key: Key) {
    switch key {
    case "s": self = .togglePolling
    case "d": self = .drop
    default: return nil
    }
  }
}

extension DashboardComposer.Action: CustomStringConvertible {
  /// A short text for the list of actions.
  var description: String {
    switch self {
    case .start: "start"
    case .connect: "connect"
    case .connected: "connected"
    case .failed(let error): "failed: \(error)"
    case .disconnected: "disconnected"
    case .sample(let sample, _): "sample \(sample.sequence)"
    case .message(_, let bytes): "message of \(bytes) bytes"
    case .drop: "drop"
    case .togglePolling: "togglePolling"
    case .polled(let bytes): "polled \(Format.bytes(Double(bytes)))"
    case .second: "second"
    }
  }

  /// Whether the action recurs without the user.
  var isRoutine: Bool {
    switch self {
    case .sample, .message, .polled, .second: true
    default: false
    }
  }
}
