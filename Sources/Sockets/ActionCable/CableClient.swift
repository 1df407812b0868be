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
/// **Reconnecting.** It looks at its connection and tries again when the official JavaScript client would:
/// a connection is stale after 6 seconds without a message, and attempts come after 6 to 28 seconds, more
/// and more rarely. One that was good for 6 seconds and is lost, is replaced within seconds. A server that
/// says `reconnect: false`, as for a wrong token, is obeyed: only `connect()` tries again.
///
/// **Delivery.** Everything is told in the order in which it happened, one thing at a time: what the
/// server says on the event loop's thread, where observers must not block, and what you cause on the
/// thread that calls. When both happen at once, the thread that is telling tells what the other has
/// brought about, too.
///
/// **Life.** Released, it disconnects, and its streams and those of its channels complete.
public final class CableClient: Sendable {
  private let driver: CableDriver

  /// A client of the server at `url`, which `connect()` connects.
  ///
  /// - Parameters:
  ///   - url: `ws://host:port/cable`, or `wss`. A wrong one is reported when it is connected.
  ///   - configuration: headers, origin, timeouts, log.
  public convenience init(_ url: String, configuration: CableConfiguration = .init()) {
    self.init(configuration: configuration) { CableRequest(url) }
  }

  /// A client that asks before each attempt where to connect to: for tokens that expire.
  ///
  /// ```swift
  /// CableClient { CableRequest("wss://example.com/cable?token=\(try session.token())") }
  /// ```
  ///
  /// - Parameters:
  ///   - configuration: headers, origin, timeouts, log.
  ///   - request: the URL and headers of the next attempt. It may be called on the event loop's thread and
  ///     must not block. What it throws is a failed attempt.
  public convenience init(
    configuration: CableConfiguration = .init(),
    request: @escaping @Sendable () throws -> CableRequest
  ) {
    self.init(
      configuration,
      connect: { WebSocket($0, configuration: $1) },
      random: { .random(in: 0..<1) },
      request: request
    )
  }

  /// A client whose WebSockets and whose random are somebody's choice.
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

  /// Closes the connection, and makes no other one until `connect()`: in effect before it returns.
  ///
  /// Channels stay wanted, and are subscribed again after `connect()`.
  public func disconnect() { driver.change { $0.disconnect($1) } }

  /// Tries at once when it waits or its connection is stale: for when the network or the app is back.
  ///
  /// A healthy connection is left alone, and so is a client that was not connected, or is closed.
  public func reconnectNow() { driver.change { $0.reconnectNow($1) } }

  // MARK: Observing

  /// The current state; it changes before `states` tells.
  public var state: CableState { driver.state }

  /// The state, beginning with the current one; completes when the client is released.
  public var states: Observable<CableState> {
    Observable(.direct) { [driver] in driver.states.add($0, replaysAfterEnd: true) }
  }

  /// What happens; completes when the client is released, and never fails.
  ///
  /// The first observer also receives what came before it, up to 16 events.
  public var events: Observable<CableEvent> {
    Observable(.direct) { [driver] in driver.events.add($0, replaysAfterEnd: true) }
  }

  /// How many messages came for channels that nobody wants, or not any more; they are dropped.
  public var unwantedMessages: Int { driver.unwantedMessages }

  /// How many calls of the connection are unconfirmed, of all channels together: kept, to be reported when they may
  /// be lost.
  ///
  /// `perform` throws while there are ``CableConfiguration/unconfirmedLimit`` of them.
  public var unconfirmedCalls: Int { driver.unconfirmedCalls }

  /// How many identifiers there is something to know about.
  var knownChannels: Int { driver.knownChannels }

  // MARK: Channels

  /// A local subscriber of this identifier.
  ///
  /// Several of one identifier share one subscription on the server, which lasts until the last of them
  /// leaves.
  public func channel(
    _ identifier: CableIdentifier,
    options: CableChannelOptions = .init()
  ) -> CableChannel {
    CableChannel(identifier, options, driver)
  }

  /// A local subscriber of the channel of this name, with these parameters.
  public func channel(
    _ name: String,
    _ parameters: [String: JSONValue] = [:],
    options: CableChannelOptions = .init()
  ) -> CableChannel {
    channel(CableIdentifier(name, parameters), options: options)
  }

  /// A local subscriber of the channel of this name, with these parameters: as Action-Cable-Swift spells
  /// it.
  public func makeChannel(
    name: String,
    identifier parameters: [String: JSONValue] = [:],
    options: CableChannelOptions = .init()
  ) -> CableChannel {
    channel(name, parameters, options: options)
  }
}
