import Sockets

// Conversions to and from actions.

extension DashboardComposer.Action {
  /// The action of a message: a sample, or any other text.
  init(_ message: WebSocketMessage) {
    let data = message.data
    do {
      self = .sample(try Sample(json: data), bytes: data.count)
    } catch {
      // One line is shown, so the beginning is enough.
      let text = message.text.map { String($0.prefix(200)) } ?? "\(data.count) bytes of data"
      self = .message(text, bytes: data.count)
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
    case .socket(.connected): "connected"
    case .socket(.undecodable): "undecodable"
    case .socket(.waiting(let retry, _, let error?)): "attempt \(retry) follows: \(error)"
    case .socket(.waiting(let retry, _, nil)): "attempt \(retry) follows"
    case .socket(.error(let error)): "error: \(error)"
    case .socket(.disconnected): "disconnected"
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

extension DashboardComposer.Action: Decodable {
  /// Decodes what the user may do: `"drop"` and `"togglePolling"`.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    switch try container.decode(String.self) {
    case "drop": self = .drop
    case "togglePolling": self = .togglePolling
    case let name:
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected drop or togglePolling, found \(name)")
    }
  }
}
