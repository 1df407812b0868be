#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A connection to a Rails ActionCable server, and its channels.
///
/// ```swift
/// let cable = CableClient("wss://example.com/cable")
/// cable.connect()
/// let chat = cable.channel("ChatChannel", ["chat_id": 7])
/// chat.messages.subscribe(onNext: { print($0) }).disposed(by: bag)
/// try chat.perform("say", ["text": "hello"])
/// ```
///
/// **Reconnecting.** It polls its connection and tries again like the official JavaScript client: a
/// connection is stale after 6 seconds without a message, or without a welcome, and attempts follow
/// after growing delays, from 6 to 28 seconds. A connection that lasted for more than 6 seconds is
/// replaced within seconds. After a `reconnect: false` of the server, as for a wrong token, only
/// `connect()` tries again.
///
/// **Delivery.** Events are delivered one at a time, in the order in which they happened: those of
/// the server on the event loop's thread, where observers must not block, and those of your calls
/// on the calling thread. When both happen at once, the thread that is already delivering delivers
/// all of them.
///
/// **Life.** Released, it disconnects, and its streams and those of its channels complete.
public final class CableClient: Sendable {
  private let driver: CableDriver

  /// Creates a client of the server at `url`, which `connect()` connects.
  ///
  /// - Parameters:
  ///   - url: `ws://host:port/cable`, or `wss`. A wrong URL is reported when the client connects.
  ///   - configuration: headers, origin, timeouts, log.
  public convenience init(_ url: String, configuration: CableConfiguration = .init()) {
    self.init(configuration: configuration) { CableRequest(url) }
  }

  /// Creates a client that gets its URL anew for each attempt, as for tokens that expire.
  ///
  /// ```swift
  /// CableClient { CableRequest("wss://example.com/cable?token=\(try session.token())") }
  /// ```
  ///
  /// - Parameters:
  ///   - configuration: headers, origin, timeouts, log.
  ///   - request: returns URL and headers for the next attempt. It may run on the event loop's
  ///     thread and must not block. An error is a failed attempt.
  public convenience init(
    configuration: CableConfiguration = .init(),
    request: @escaping @Sendable () throws -> CableRequest
  ) {
    self.init(
      configuration,
      connect: { WebSocket($0, configuration: $1) },
      random: Dependencies.current.random.fraction,
      request: request
    )
  }

  /// Creates a client with these WebSockets and random numbers, for tests.
  init(
    _ configuration: CableConfiguration,
    connect: @escaping CableDriver.Connect,
    random: @escaping @Sendable () -> Double,
    request: @escaping @Sendable () throws -> CableRequest
  ) {
    driver = CableDriver(configuration, connect: connect, random: random, request: request)
  }

  deinit { driver.end() }

  // MARK: Connecting

  /// Connects now, unless there is a connection or an attempt.
  public func connect() { driver.change { $0.connect($1) } }

  /// Closes the connection, and opens none until `connect()`; the state changes at once.
  ///
  /// Channels stay subscribed locally, and are subscribed on the server again after `connect()`.
  public func disconnect() { driver.change { $0.disconnect($1) } }

  /// Tries at once when the client waits or its connection is stale.
  ///
  /// Call it when the network is available or the app is active again.
  ///
  /// Does nothing for a healthy connection, or for a client that was not connected or is closed.
  public func reconnectNow() { driver.change { $0.reconnectNow($1) } }

  // MARK: Observing

  /// The current state; it changes before `states` emits the change.
  public var state: CableState { driver.state }

  /// The state, beginning with the current one; completes when the client is released.
  public var states: Observable<CableState> {
    Observable(.direct) { [driver] in driver.states.add($0, replaysAfterEnd: true) }
  }

  /// The events; completes when the client is released, and never fails.
  ///
  /// The first observer also receives the last 16 events before its subscription.
  public var events: Observable<CableEvent> {
    Observable(.direct) { [driver] in driver.events.add($0, replaysAfterEnd: true) }
  }

  /// The number of messages that were dropped because their channel has no subscriber.
  package var unwantedMessageCount: Int { driver.unwantedMessageCount }

  /// The number of unconfirmed calls of the connection, of all channels together.
  ///
  /// They are kept so that they can be reported when they may be lost. `perform` throws while there
  /// are ``CableConfiguration/unconfirmedCallLimit`` of them.
  public var unconfirmedCallCount: Int { driver.unconfirmedCallCount }

  /// The number of identifiers with a state machine.
  var identifierCount: Int { driver.identifierCount }

  // MARK: Channels

  /// Creates a local subscriber of this identifier.
  ///
  /// Subscribers of one identifier share one subscription on the server, which ends when the last
  /// of them unsubscribes.
  public func channel(
    _ identifier: CableIdentifier,
    options: CableChannelOptions = .init()
  ) -> CableChannel {
    CableChannel(identifier, options, driver)
  }

  /// Creates a local subscriber of the channel with this name and these parameters.
  public func channel(
    _ name: String,
    _ parameters: [String: JSONValue] = [:],
    options: CableChannelOptions = .init()
  ) -> CableChannel {
    channel(CableIdentifier(name, parameters), options: options)
  }
}
