/// Makes of a channel's messages what a program is interested in.
public protocol ChannelOutputMapping<Output>: Sendable {
  /// What a message means.
  associatedtype Output: Sendable

  /// What `message` means; nil when that is nothing.
  ///
  /// Called once for each message, in their order, on the thread on which it arrives.
  ///
  /// - Throws: what goes wrong; it becomes ``ChannelFailure/undecodable(_:_:)``, and the next message is
  ///   mapped.
  func map(from message: JSONValue) throws -> Output?
}

/// Makes actions of what a message means.
public protocol ChannelActionMapping<Output, State, Action>: Sendable {
  /// What a message means.
  associatedtype Output: Sendable
  /// The composer's state.
  associatedtype State: Sendable
  /// The composer's action.
  associatedtype Action: Sendable

  /// What shall happen, by the state as it is.
  ///
  /// Called where the composer reduces, when it is the actions' turn: after all actions that were sent
  /// before. The outputs of one window are mapped by the same state, and all their actions are one step.
  func mapAction(from output: Output, state: State) -> ActionGroup<Action>
}

/// What goes wrong with a channel of an effect.
public enum ChannelFailure: Error, Hashable, Sendable {
  /// The builder has made no channel: the effect ends.
  case noChannel
  /// The server has rejected it.
  case rejected
  /// The server did not answer in time.
  case timedOut(after: Duration)
  /// The connection has ended; with `willReconnect` the channel is subscribed again after it.
  case disconnected(CableDisconnection)
  /// A call was not sent, or may not have arrived.
  case performFailed(CableCall, CableError)
  /// The mapping of this message has thrown this.
  case undecodable(JSONValue, String)
}

extension ChannelFailure: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .noChannel: "there is no channel"
    case .rejected: "the server has rejected the channel"
    case .timedOut(let limit): "the server did not answer within \(limit)"
    case .disconnected(let ending): "the connection has ended: \(ending.cause)"
    case .performFailed(let perform, let error): "\(perform.action) failed: \(error)"
    case .undecodable(let message, let error): "\(message) cannot be decoded: \(error)"
    }
  }
}
