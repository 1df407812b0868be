/// An event of an effect's socket, except for the messages that become actions themselves.
///
/// | what happens | a socket that connects once | a ``ReconnectingWebSocket`` |
/// | --- | --- | --- |
/// | a connection is lost | `error`, `disconnected` | `waiting`, then `connected` again |
/// | an attempt to connect fails | `error`, `disconnected` | `waiting` |
/// | a permanent failure, the last attempt fails | `error`, `disconnected` | `error`, `disconnected` |
/// | the peer closes for a while, as with 1001 | `disconnected` | `waiting` without an error |
/// | either side closes for good | `disconnected` | `disconnected` |
public enum SocketLifecycleEvent: Hashable, Codable, Sendable {
  /// Messages can be sent and received; emitted for each connection, when the socket reconnects.
  case connected
  /// A message could not be decoded; later messages are not affected.
  case undecodable(WebSocketMessage, WebSocketMessageError)
  /// There is no connection, and attempt `retry`, counted from 1, begins after `delay`.
  ///
  /// Only a ``ReconnectingWebSocket`` waits. `error` ended the last connection or attempt; nil when the
  /// peer closed.
  case waiting(retry: Int, delay: Duration, error: WebSocketError?)
  /// The socket failed for good; `disconnected` follows.
  ///
  /// `closeCodeNotSendable` is reported here too, and has no further effect.
  case error(WebSocketError)
  /// The socket has ended, and the effect with it.
  case disconnected(code: CloseCode, reason: String)
}

/// What the effect of a socket receives.
enum SocketInput: Equatable, Sendable {
  case message(WebSocketMessage)
  case lifecycle(SocketLifecycleEvent)

  /// An event of a socket that connects once.
  init(_ event: WebSocketEvent) {
    self =
      switch event {
      case .connected: .lifecycle(.connected)
      case .message(let message): .message(message)
      case .error(let error): .lifecycle(.error(error))
      case .disconnected(let code, let reason):
        .lifecycle(.disconnected(code: code, reason: reason))
      }
  }

  /// The inputs of the effect of `socket`.
  static func inputs(of socket: any WebSocketType) -> Observable<SocketInput> {
    guard let socket = socket as? ReconnectingWebSocket else {
      return socket.events.map { SocketInput($0) }
    }
    typealias Change = ReconnectionLifecycle.Change
    let states: Observable<Change> = socket.reconnectionStates.map { .state($0) }
    let events: Observable<Change> = socket.events.map { .event($0) }
    // Both are delivered in the order in which things happen.
    let changes: Observable<Change> = .merge([states, .concat([events, .just(.end)])])
    return changes.scan(into: ReconnectionLifecycle()) { lifecycle, change in
      lifecycle.receive(change)
    }
    .flatMap { lifecycle in Observable<SocketInput>.from(lifecycle.inputs) }
  }
}

/// Decides what the effect of a reconnecting socket receives, from the states and events of the socket.
///
/// The events alone do not show whether another attempt follows.
struct ReconnectionLifecycle: Sendable {
  enum Change: Sendable {
    case state(ReconnectionState)
    case event(WebSocketEvent)
    /// No event follows.
    case end
  }

  /// What follows from the last change.
  private(set) var inputs: [SocketInput] = []
  private var phase = Phase.running

  private enum Phase {
    case running
    /// The socket has ended, with this error.
    case ended(WebSocketError?)
    case reported
  }

  mutating func receive(_ change: Change) {
    inputs = []
    switch change {
    case .state(.waitingToReconnect(let retry, let delay, let error)):
      inputs = [.lifecycle(.waiting(retry: retry, delay: delay, error: error))]
    case .state(.disconnected(let error)): phase = .ended(error)
    case .state: break
    case .event(.disconnected(let code, let reason)): reportEnd(code, reason)
    case .event(let event) where event.isInput: inputs = [SocketInput(event)]
    case .event: break
    // A socket that is closed while it waits emits no event.
    case .end: reportEnd(.abnormal, "")
    }
  }

  private mutating func reportEnd(_ code: CloseCode, _ reason: String) {
    guard case .ended(let error) = phase else { return }
    phase = .reported
    if let error { inputs = [.lifecycle(.error(error))] }
    inputs.append(.lifecycle(.disconnected(code: code, reason: reason)))
  }
}

extension WebSocketEvent {
  /// Whether the effect of a reconnecting socket receives this event: the states have the errors that
  /// end an attempt.
  fileprivate var isInput: Bool {
    switch self {
    case .connected, .message, .error(.closeCodeNotSendable): true
    case .error, .disconnected: false
    }
  }
}
