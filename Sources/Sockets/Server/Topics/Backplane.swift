#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Carries the messages of topics between the servers of several processes.
///
/// ``InMemoryBackplane`` joins the servers of one process. `RedisBackplane`, in the module
/// `SocketsRedis`, joins processes on any number of machines. A conformer for another broker needs
/// four methods: see ``BackplaneConnection``.
public protocol Backplane: Sendable {
  /// Begins to connect one server, and returns its connection without waiting.
  ///
  /// - Parameter receive: receives states, messages and errors, on any thread, also before this
  ///   method returns. It does not block. Messages that one connection publishes to one topic are
  ///   passed in their order; it is not called for two of them at once.
  func connect(_ receive: @escaping @Sendable (BackplaneEvent) -> Void) -> any BackplaneConnection
}

/// The connection of one server to a backplane.
///
/// The server calls `subscribe` and `unsubscribe` in turn for a topic, one call at a time, and
/// `publish` on any thread. No method may wait for the network. A connection that is lost is
/// restored by the backplane, with all subscriptions.
public protocol BackplaneConnection: AnyObject, Sendable {
  /// Receives the messages of a topic from now on, or from the moment of the next connection.
  func subscribe(to topic: String)

  /// Receives no more messages of a topic; some that are under way may still arrive.
  func unsubscribe(from topic: String)

  /// Publishes a message to all connections that are subscribed to the topic.
  ///
  /// The own connection may receive the message too: the server ignores it. While there is no
  /// connection, the message waits; what waits is bounded, and what does not fit is dropped and
  /// reported as ``BackplaneError/notPublished(count:reason:)``.
  ///
  /// - Parameters:
  ///   - message: bytes that only servers read
  ///   - topic: name of the topic
  ///   - isTransient: whether the message is of no use later, as a number of subscribers: it is not
  ///     kept for connections that are away, and its loss is not reported
  func publish(_ message: Data, to topic: String, isTransient: Bool)

  /// Ends the connection; nothing is received from then on, except what is being delivered.
  func close()
}

/// What a backplane reports to a server.
public enum BackplaneEvent: Sendable {
  /// The connection was made or lost.
  case state(BackplaneState)
  /// A message of some connection to a topic.
  case message(Data, topic: String)
  /// Messages were lost.
  case failed(BackplaneError)
}

/// The state of a server's connection to its backplane.
public enum BackplaneState: Sendable {
  /// The first attempt is in progress: messages to other processes wait.
  case connecting
  /// Messages are published, and all topics are subscribed.
  case connected
  /// There is no connection, for this reason; another attempt follows.
  ///
  /// Topics go on within the process. Messages to other processes wait, as far as the backplane's
  /// limit allows. Messages of other processes are missed, unless the backplane keeps them.
  case disconnected(any Error)

  /// Whether messages are published and received.
  public var isConnected: Bool {
    if case .connected = self { true } else { false }
  }
}

/// The loss of messages between processes.
public enum BackplaneError: Error, Sendable {
  /// So many messages of this process did not reach the other processes, or possibly not.
  ///
  /// The reason says what to do. Subscribers in this process have received them.
  case notPublished(count: Int, reason: any Error)

  /// Messages of other processes to this topic are missing, or possibly so.
  case notReceived(topic: String, reason: any Error)

  /// A message was dropped because no server of this version has written it.
  ///
  /// Check what else publishes to the channels of the topics.
  case malformed(topic: String, MalformedTopicMessage)
}

extension BackplaneError: CustomStringConvertible {
  /// The error as one line of English.
  public var description: String {
    switch self {
    case .notPublished(let count, let reason):
      "\(count) messages may not have reached other processes: \(reason)"
    case .notReceived(let topic, let reason):
      "messages of other processes to \(topic) may be missing: \(reason)"
    case .malformed(let topic, let error): "a message to \(topic) was dropped: \(error)"
    }
  }
}
