/// A local subscriber of a channel of a ``CableClient``.
///
/// While it is subscribed, it subscribes on the server again with every new connection. Several
/// subscribers of one identifier have separate states, and each subscribes and unsubscribes for
/// itself; the server receives a command only for the first and the last of them.
///
/// **Life.** Released, it unsubscribes; a subscription to one of its streams keeps it alive. It
/// keeps its client's connection usable, but not the client itself: when the client is released,
/// all streams complete.
public final class CableChannel: Sendable {
  /// The channel's class and parameters.
  public let identifier: CableIdentifier
  /// The options that the channel was created with.
  public let options: CableChannelOptions
  private let driver: CableDriver
  private let streams = CableChannelStreams()
  private let id: CableStateMachine.SubscriberID

  init(_ identifier: CableIdentifier, _ options: CableChannelOptions, _ driver: CableDriver) {
    (self.identifier, self.options, self.driver) = (identifier, options, driver)
    id = driver.add(identifier, options, streams)
    if options.autoSubscribe { subscribe() }
  }

  deinit { driver.remove(id) }

  // MARK: Subscribing

  /// Subscribes; does nothing while it is subscribed or waits for the server.
  ///
  /// After a rejection or a timeout it asks the server again.
  public func subscribe() { driver.change { [id] in $0.channels.subscribe(id, $1) } }

  /// Unsubscribes.
  ///
  /// No message is delivered after this returns, except one that another thread is delivering.
  ///
  /// Calls that wait for the confirmation fail. The channel stays unsubscribed until `subscribe()`.
  public func unsubscribe() { driver.change { [id] in $0.channels.unsubscribe(id, $1) } }

  // MARK: Observing

  /// The current state; it changes before `states` and `events` emit the change.
  public var state: CableChannelState { driver.state(of: id) }

  /// The state, beginning with the current one; completes when the client is released.
  public var states: Observable<CableChannelState> { streams.states.observable(keeping: self) }

  /// The events, messages included; completes when the client is released, and never fails.
  ///
  /// The first observer also receives the last 16 events before its subscription.
  public var events: Observable<CableChannelEvent> { streams.events.observable(keeping: self) }

  /// The messages; completes when the client is released, and never fails.
  ///
  /// The first observer also receives the last 16 messages before its subscription.
  public var messages: Observable<JSONValue> { streams.messages.observable(keeping: self) }

  // MARK: Calling

  /// Calls a method of the channel on the server.
  ///
  /// The server may perform several calls of a connection at once and in any order.
  ///
  /// - Parameters:
  ///   - action: name of the method; empty for the channel's `receive`.
  ///   - data: arguments of the call.
  /// - Returns: whether the call was sent, or waits for the confirmation of the channel.
  /// - Throws: `notSubscribed` when the channel is not confirmed and does not buffer, `bufferFull`,
  ///   `tooManyUnconfirmed`. A call that fails later is reported by `events`:
  ///   ``CableChannelEvent/performFailed(_:_:)``.
  @discardableResult
  public func perform(
    _ action: String = "",
    _ data: [String: JSONValue] = [:]
  ) throws(CableError) -> CableCallResult {
    let perform = CableCall(action: action, data: data)
    return try driver.change { [id] (machine, now) throws(CableError) in
      try machine.channels.perform(perform, id, now)
    }
  }
}
