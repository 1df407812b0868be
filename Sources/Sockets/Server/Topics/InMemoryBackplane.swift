#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Joins the topics of several servers of one process, such as one for `ws` and one for `wss`.
///
/// ```swift
/// let backplane = InMemoryBackplane()
/// let plain = try WebSocketServer(port: 8080, backplane: backplane)
/// let secure = try WebSocketServer(port: 8443, identity: identity, backplane: backplane)
/// ```
///
/// It delivers on the publishing thread, before `publish` returns, and loses nothing. It is always
/// connected.
public final class InMemoryBackplane: Backplane {
  private final class Connection: BackplaneConnection {
    private let backplane: InMemoryBackplane
    let receive: @Sendable (BackplaneEvent) -> Void

    init(_ backplane: InMemoryBackplane, _ receive: @escaping @Sendable (BackplaneEvent) -> Void) {
      (self.backplane, self.receive) = (backplane, receive)
    }

    func subscribe(to topic: String) { backplane.add(self, to: topic) }

    func unsubscribe(from topic: String) { backplane.remove(self, from: topic) }

    func publish(_ message: Data, to topic: String, isTransient: Bool) {
      for other in backplane.connections(on: topic) where other !== self {
        other.receive(.message(message, topic: topic))
      }
    }

    func close() { backplane.remove(self) }
  }

  /// The connections of each topic, in the order of their subscriptions.
  private let topics = Locked<[String: [Connection]]>([:])

  /// Creates a backplane for servers of this process.
  public init() {}

  /// Connects a server, at once.
  public func connect(
    _ receive: @escaping @Sendable (BackplaneEvent) -> Void
  ) -> any BackplaneConnection {
    receive(.state(.connected))
    return Connection(self, receive)
  }

  private func connections(on topic: String) -> [Connection] {
    topics.withLock { $0[topic] ?? [] }
  }

  private func add(_ connection: Connection, to topic: String) {
    topics.withLock { $0[topic, default: []].append(connection) }
  }

  private func remove(_ connection: Connection, from topic: String) {
    topics.withLock { topics in
      topics[topic]?.removeAll { $0 === connection }
      if topics[topic]?.isEmpty == true { topics[topic] = nil }
    }
  }

  private func remove(_ connection: Connection) {
    topics.withLock { topics in
      for topic in topics.keys { topics[topic]?.removeAll { $0 === connection } }
      topics = topics.filter { !$0.value.isEmpty }
    }
  }
}
