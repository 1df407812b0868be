import Foundation
import Sockets

/// A request to the server.
struct Request: Codable, Equatable, Identifiable, Sendable {
  enum Content: Codable, Equatable, Sendable { case fetch, change(Change), history(Item.ID) }

  let id: UUID
  var content: Content
}

/// The answer to the request of the same id.
///
/// Every other message of the server is a `Change` that another device has made.
struct Reply: Codable, Equatable, Sendable {
  let id: UUID
  /// All tasks, or the versions of one.
  var items: [Item] = []
  /// Whether the change was made when it was received before: others may have followed it.
  var isRepeated = false
  /// Why a change was refused.
  var problem: String?
}

/// The dependency that connects to the server.
struct TasksAPI: Sendable {
  /// Creates a socket, which connects again after a loss.
  var socket: @Sendable () -> any WebSocketType
}

extension TasksAPI {
  /// The server at this URL.
  static func live(_ url: String) -> TasksAPI {
    TasksAPI {
      ReconnectingWebSocket(
        connect: { WebSocket(url) }, strategy: .exponential(maxAttempts: nil))
    }
  }
}

extension TasksAPI {
  /// No server: the only attempt to connect fails.
  ///
  /// A fork has this one, so that what it changes does not reach the server of the app.
  static let offline = TasksAPI {
    ReconnectingWebSocket(
      connect: { () throws(WebSocketError) in throw .connectionLost },
      strategy: .fixed(.zero, maxAttempts: 0))
  }
}

enum TasksAPIKey: DependencyKey {
  static let liveValue = TasksAPI.live("ws://127.0.0.1:8080/")
}

extension Dependencies {
  var api: TasksAPI {
    get { self[TasksAPIKey.self] }
    set { self[TasksAPIKey.self] = newValue }
  }
}
