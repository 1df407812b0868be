import Sockets

// What others make of actions and into actions.

extension DashboardComposer.Action {
  /// What an event of the socket means here; nil for its end, which the end of the effect tells.
  init?(_ event: WebSocketEvent) {
    switch event {
    case .connected: self = .connected
    case .message(let message): self = .message(message)
    case .error(let error): self = .failed(error)
    case .disconnected: return nil
    }
  }

  /// A message is a sample, or it is not: both are actions.
  private static func message(_ message: WebSocketMessage) -> Self {
    let data = message.data
    do {
      return .sample(try Sample(json: data), bytes: data.count)
    } catch {
      // A line of it is shown; a long one is not worth keeping.
      let text = message.text.map { String($0.prefix(200)) } ?? "\(data.count) bytes of data"
      return .message(text, bytes: data.count)
    }
  }

  /// What a key asks for; nil when it asks for nothing that is reduced.
  init?(_ key: Key) {
    switch key {
    case "s": self = .togglePolling
    case "d": self = .drop
    default: return nil
    }
  }
}

extension DashboardComposer.Action: CustomStringConvertible {
  /// A few words for the list of actions.
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

  /// Whether it comes again and again by itself.
  var isRoutine: Bool {
    switch self {
    case .sample, .message, .polled, .second: true
    default: false
    }
  }
}
