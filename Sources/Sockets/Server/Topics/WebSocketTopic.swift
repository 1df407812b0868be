/// A named group of sockets that receive what is published to the name, such as a room.
///
/// ```swift
/// server.connections.subscribe(onNext: { socket in
///   let room = server.topic("room:7")
///   room.subscribe(socket)
///   socket.messages.subscribe(onNext: { room.publish($0) }).disposed(by: bag)
/// }).disposed(by: bag)
/// ```
///
/// With a ``Backplane`` the topic is one for the servers of all processes: see <doc:ServingTopics>.
///
/// A topic exists while it has a subscriber or an observer in this process; a value of this type is
/// its name. All members are for any thread. After the server is closed, a topic has no subscriber
/// and publishes nothing.
public struct WebSocketTopic: Sendable {
  /// The name, which is the same in all processes.
  public let name: String
  private let driver: TopicDriver

  init(_ name: String, _ driver: TopicDriver) { (self.name, self.driver) = (name, driver) }

  /// Subscribes a socket, which then receives each message that is published to the topic.
  ///
  /// The subscription ends when the socket ends, or with the result, which need not be kept.
  /// A socket that is subscribed already keeps its subscription, which is returned. A message of
  /// another process may be missed until the backplane has confirmed the first subscription of this
  /// process.
  ///
  /// - Parameter socket: connection of any server or client; the topic retains it until it ends
  @discardableResult
  public func subscribe(_ socket: WebSocket) -> any Disposable { driver.add(socket, to: name) }

  /// Sends a message to all subscribers: at once in this process, and through the backplane in the
  /// others.
  ///
  /// It waits neither for a client nor for the backplane. The messages that one thread publishes
  /// reach each subscriber in their order. Two subscribers may receive the messages of two threads,
  /// or of two processes, in different orders. The publisher's own socket receives the message
  /// too, if it is subscribed.
  ///
  /// - Parameters:
  ///   - message: message to send; each client gets it whole or not at all
  ///   - limit: unwritten bytes above which a client is slow, here and in other processes: 1 MiB
  ///   - slowClients: treatment of slow clients, here and in other processes: they are skipped
  /// - Returns: The number of subscribers in this process that got it, and the slow ones.
  @discardableResult
  public func publish(
    _ message: WebSocketMessage,
    limit: Int = 1 << 20,
    slowClients: SlowClients = .skipped
  ) -> WebSocketBroadcast {
    driver.publish(message, to: name, limit: limit, slowClients: slowClients)
  }

  /// The number of subscribers in this process.
  public var count: Int { driver.localCount(of: name) }

  /// The number of subscribers in all processes: the current one, and then each that differs.
  ///
  /// Without a backplane it is ``count``, at once. With one, other processes are counted when they
  /// answer, and their changes arrive within about 100 milliseconds. The subscribers of a process
  /// that has crashed or cannot be reached count for up to 40 seconds. It completes when the server
  /// is closed, and never fails. It emits on the thread that causes the change.
  public var presence: Observable<Int> {
    .create { [driver, name] observer in driver.observePresence(name, observer) }
  }

  /// The messages that this process or another one publishes.
  ///
  /// Each is emitted after the subscribers have it, on the thread that publishes it, or on that of
  /// the backplane; one at a time. It completes when the server is closed, and never fails.
  public var messages: Observable<WebSocketMessage> {
    .create { [driver, name] observer in driver.observeMessages(name, observer) }
  }
}

extension WebSocketServer {
  /// The topic of this name; it costs nothing until it has a subscriber or an observer.
  ///
  /// - Parameter name: any text, the same in all processes
  public func topic(_ name: String) -> WebSocketTopic { WebSocketTopic(name, topics) }

  /// The state of the connection to the backplane, beginning with the current one.
  ///
  /// It completes when the server is closed, and at once without a backplane. It emits on a thread
  /// of the backplane.
  public var backplaneStates: Observable<BackplaneState> {
    topics.states.observable(keeping: topics)
  }

  /// The losses of messages between processes, one element for possibly many messages.
  ///
  /// They are lines of level `warning` in the log, too; of malformed messages one a minute. It
  /// completes when the server is closed. It emits on a thread of the backplane.
  public var backplaneErrors: Observable<BackplaneError> { topics.errors.asObservable() }
}
