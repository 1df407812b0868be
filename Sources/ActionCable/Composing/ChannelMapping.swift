/// Maps a channel's messages to values of the program.
public protocol ChannelOutputMapping<Output>: Sendable {
  /// The value of a message.
  associatedtype Output: Sendable

  /// Maps `message` to a value; nil to ignore the message.
  ///
  /// Called once for each message, in order, on the thread that delivers the message.
  ///
  /// - Throws: any error, which becomes ``ChannelFailure/undecodable(_:_:)``; later messages are
  ///   mapped.
  func map(from message: JSONValue) throws -> Output?
}

/// Maps the values of messages to actions.
public protocol ChannelActionMapping<Output, State, Action>: Sendable {
  /// The value of a message.
  associatedtype Output: Sendable
  /// The composer's state.
  associatedtype State: Sendable
  /// The composer's action.
  associatedtype Action: Sendable

  /// Maps a value to actions, by the current state.
  ///
  /// Called where the composer reduces, after all actions that were sent before. The outputs of one
  /// window are mapped by the same state, and all their actions are one step.
  func mapAction(from output: Output, state: State) -> ActionGroup<Action>
}

/// A failure of a channel of an effect.
public enum ChannelFailure: Error, Hashable, Sendable {
  /// The builder returned no channel; the effect ends.
  case noChannel
  /// The server has rejected the channel.
  case rejected
  /// The server did not answer in time.
  case timedOut(after: Duration)
  /// The connection has ended.
  ///
  /// With `willReconnect` the channel is subscribed again after reconnecting.
  case disconnected(CableDisconnection)
  /// A call was not sent, or may not have arrived.
  case performFailed(CableCall, CableError)
  /// The mapping of this message threw this error.
  case undecodable(JSONValue, String)
}

extension ChannelFailure: CustomStringConvertible {
  /// One line: the reason.
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
