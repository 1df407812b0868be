import Foundation
import ActionCable

/// Maps the messages of a room to lines and actions.
enum ChatRoom {
  struct Outputs: ChannelOutputMapping {
    func map(from message: JSONValue) throws -> ChatLine? { try message.decode() }
  }

  struct Actions: ChannelActionMapping {
    func mapAction(from line: ChatLine, state: ChatState) -> ActionGroup<ChatAction> {
      ActionGroup {
        // The user's own lines are not received again.
        if line.from != state.user { ChatAction.heard(line) }
      }
    }
  }

  /// The messages and failures of a room as actions.
  static func effect(
    _ channel: @escaping @Sendable () -> CableChannel?,
    _ room: Int
  ) -> SocketChannelEffect<Outputs, Actions, Int> {
    SocketChannelEffect(
      channelBuilder: channel,
      outputMapper: Outputs(),
      actionMapper: Actions(),
      flowID: room,
      window: .milliseconds(20)
    ) { failure, room in
      // A connection that is restored is not a problem of the user.
      if case .disconnected(let ending) = failure, ending.willReconnect { return nil }
      return .failed("room \(room): \(failure)")
    }
  }

  /// The state of the room's subscription on the server, as actions.
  static func place(_ channel: CableChannel, _ room: Int) -> Observable<Effect<ChatAction>> {
    .run(channel.states.map { .place(room, $0) })
  }

  /// Sends a line by a channel made for one call, which shares the room's subscription.
  static func say(
    _ text: String,
    in channel: @escaping @Sendable () -> CableChannel
  ) -> Observable<Effect<ChatAction>> {
    .deferred {
      do {
        try channel().perform("say", ["text": .string(text)])
        return .none
      } catch {
        return .send(.failed("\(error)"))
      }
    }
  }
}
