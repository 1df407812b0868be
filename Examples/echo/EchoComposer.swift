import Foundation
import Sockets

/// A button that connects and disconnects, a text field, the received messages, and an alert.
final class EchoComposer: Composer {
  enum Action: Equatable, Sendable {
    case connectTapped, typed(String), sendTapped, alertDismissed
    case socket(WebSocketClient.Action), received(WebSocketMessage)
    case sent, notSent
  }

  struct State: Equatable, Sendable {
    enum Connection: Sendable { case disconnected, connecting, connected }

    var connection = Connection.disconnected
    var draft = ""
    var received: [String] = []
    var alert: String?
  }

  /// The id of the effects that need the connection, which are cancelled together.
  ///
  /// A send does not have this id: a disconnect would cancel the report of its failure.
  private enum Work { case connection }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  private let client: WebSocketClient
  private let url: URL
  private let id = WebSocketClient.ID()

  init(client: WebSocketClient = .live, url: URL) {
    (self.client, self.url) = (client, url)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .connectTapped where state.connection == .disconnected:
      state.connection = .connecting
      return .run { [client, id, url] effect in
        for await action in await client.open(id, url, []) { effect.onNext(.send(.socket(action))) }
      }
      .cancellable(id: Work.connection)

    case .connectTapped:
      state.connection = .disconnected
      return .cancel(id: Work.connection)

    case .socket(.didOpen):
      state.connection = .connected
      state.received = []
      return .merge(receiving(), .interval(ping(), period: .seconds(10)))
        .cancellable(id: Work.connection)

    case .socket(.didFail(let error)):
      state.alert = "\(error)"
      return .none

    case .socket(.didClose):
      state.connection = .disconnected
      return .cancel(id: Work.connection)

    case .received(let message):
      state.received.append(message.text ?? "\(message.data.count) bytes")
      return .none

    case .typed(let text):
      state.draft = text
      return .none

    case .sendTapped:
      let text = state.draft
      state.draft = ""
      return .run { [client, id] effect in
        try await client.send(id, .text(text))
        effect.onNext(.send(.sent))
      } catch: { _ in
        .send(.notSent)
      }

    case .sent:
      return .none

    case .notSent:
      state.alert = "The message could not be sent. Connect first, and try again."
      return .none

    case .alertDismissed:
      state.alert = nil
      return .none
    }
  }

  private func receiving() -> Observable<Effect<Action>> {
    .run { [client, id] effect in
      for await result in await client.receive(id) {
        // `didFail` and `didClose` report the end.
        if case .success(let message) = result { effect.onNext(.send(.received(message))) }
      }
    }
  }

  /// A missing pong ends the connection, which `didFail` and `didClose` report.
  private func ping() -> Observable<Effect<Action>> {
    .fireAndForget { [client, id] in try? await client.sendPing(id) }
  }
}
