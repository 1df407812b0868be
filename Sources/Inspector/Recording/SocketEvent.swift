#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of a socket when an event happens.
final class SocketDetails: Sendable {
  let metrics: WebSocketMetrics?
  let extensions: String?
  let name: String?

  /// Reads what an event may have changed; nil for one that has changed nothing.
  init?(of socket: any TappedSocket, at event: SocketEvent) {
    switch event {
    case .ended:
      (metrics, extensions, name) = (socket.tapMetrics, socket.tapExtensions, nil)
    case .state(.connected): (metrics, extensions, name) = (nil, socket.tapExtensions, nil)
    case .reconnection: (metrics, extensions, name) = (nil, nil, socket.tapName)
    default: return nil
    }
  }
}

/// What happened to a socket.
///
/// Indirect: an event in a queue is one reference.
indirect enum SocketEvent: Sendable, Equatable {
  case received(WebSocketMessage)
  case sent(WebSocketMessage)
  case state(WebSocketState)
  case pong(Duration?)
  case failed(String)
  case ended(code: Int, reason: String)
  case reconnection(ReconnectionState)

  init(_ event: SocketTaps.Event) {
    switch event {
    case .sent(let message): self = .sent(message)
    case .state(let state): self = .state(state)
    case .pong(let time): self = .pong(time)
    case .failed(let error): self = .failed("\(error)")
    case .ended(let code, let reason): self = .ended(code: Int(code.rawValue), reason: reason)
    case .reconnection(let state): self = .reconnection(state)
    }
  }

  /// The message; nil for another event.
  var message: WebSocketMessage? {
    switch self {
    case .received(let message), .sent(let message): message
    default: nil
    }
  }

  /// The bytes of the message; 0 for another event.
  var byteCount: Int { message?.byteCount ?? 0 }
}
