/// A local subscriber of a channel of a ``CableClient``.
///
/// It is subscribed while it is wanted and the server lets the client in, again on every connection. Its
/// state is its own: of several subscribers of one identifier each subscribes and unsubscribes for itself,
/// and the server hears of the first and the last.
///
/// **Life.** Released, it unsubscribes; a subscription to one of its streams keeps it. It keeps its
/// client's connection usable, but not the client itself: with the client all streams complete.
public final class CableChannel: Sendable {
  /// Which channel this is.
  public let identifier: CableIdentifier
  /// How it behaves.
  public let options: CableChannelOptions
  private let driver: CableDriver
  private let streams = CableChannelStreams()
  private let id: CableEngine.MemberID

  init(_ identifier: CableIdentifier, _ options: CableChannelOptions, _ driver: CableDriver) {
    (self.identifier, self.options, self.driver) = (identifier, options, driver)
    id = driver.add(identifier, options, streams)
    if options.autoSubscribe { subscribe() }
  }

  deinit { driver.remove(id) }

  // MARK: Subscribing

  /// Wants messages from now on; does nothing when it does already.
  ///
  /// After a rejection, or when the server did not answer in time, it asks again.
  public func subscribe() { driver.change { [id] in $0.channels.subscribe(id, $1) } }

  /// Wants no more messages: none comes after it returns, on the thread that calls.
  ///
  /// Calls that wait for a confirmation fail. It stays unsubscribed until `subscribe()`.
  public func unsubscribe() { driver.change { [id] in $0.channels.unsubscribe(id, $1) } }

  // MARK: Observing

  /// The current state; it changes before `states` and `events` tell.
  public var state: CableChannelState { driver.state(of: id) }

  /// The state, beginning with the current one; completes when the client is released.
  public var states: Observable<CableChannelState> { streams.states.observable(keeping: self) }

  /// What happens, messages too; completes when the client is released, and never fails.
  ///
  /// The first observer also receives what came before it, up to 16 events.
  public var events: Observable<CableChannelEvent> { streams.events.observable(keeping: self) }

  /// The messages; completes when the client is released, and never fails.
  ///
  /// The first observer also receives what came before it, up to 16 messages.
  public var messages: Observable<JSONValue> { streams.messages.observable(keeping: self) }

  // MARK: Calling

  /// Calls a method of the channel on the server, which may carry out several calls of a connection at
  /// once and in any order.
  ///
  /// - Parameters:
  ///   - action: the method; without it, the channel's `receive` is called.
  ///   - data: what it is given.
  /// - Returns: whether it was sent, or waits for the confirmation of the channel.
  /// - Throws: `notSubscribed` when the channel is not confirmed and does not buffer, `bufferFull`,
  ///   `tooManyUnconfirmed`. What was taken and fails later is reported by `events`:
  ///   ``CableChannelEvent/performFailed(_:_:)``.
  @discardableResult
  public func perform(
    _ action: String = "",
    _ data: [String: JSONValue] = [:]
  ) throws(CableError) -> CableCallResult {
    let perform = CableCall(action: action, data: data)
    return try driver.change { [id] (engine, now) throws(CableError) in
      try engine.channels.perform(perform, id, now)
    }
  }
}
