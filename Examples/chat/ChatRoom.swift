import Foundation
import Sockets

/// What a room's messages mean, and what follows from them.
enum ChatRoom {
  struct Outputs: ChannelOutputMapping {
    func map(from message: JSONValue) throws -> ChatLine? { try message.decode() }
  }

  struct Actions: ChannelActionMapping {
    func mapAction(from line: ChatLine, state: ChatState) -> ActionGroup<ChatAction> {
      ActionGroup {
        // What one says oneself, one knows.
        if line.from != state.user { ChatAction.heard(line) }
      }
    }
  }

  /// A room as an effect: its messages and its failures as actions.
  static func effect(
    _ channel: @escaping @Sendable () -> CableChannel?,
    _ room: Int
  ) -> SocketChannelEffect<Outputs, Actions, Int> {
    SocketChannelEffect(
      channelBuilder: channel,
      outputMapper: Outputs(),
      actionMapper: Actions(),
      flowId: room,
      window: .milliseconds(20)
    ) { failure, room in
      // What ends and begins again is no problem of the user's.
      if case .disconnected(let ending) = failure, ending.willReconnect { return nil }
      return .failed("room \(room): \(failure)")
    }
  }

  /// Where the server has this room.
  static func place(_ channel: CableChannel, _ room: Int) -> Observable<Effect<ChatAction>> {
    .run(channel.states.map { .place(room, $0) })
  }

  /// Says something by a subscriber for one call, which shares the room's subscription.
  static func say(_ text: String, in channel: CableChannel) -> Observable<Effect<ChatAction>> {
    do {
      try channel.perform("say", ["text": .string(text)])
      return .none
    } catch {
      return .send(.failed("\(error)"))
    }
  }
}
