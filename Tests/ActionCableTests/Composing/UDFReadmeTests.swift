import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct UDFReadmeTests {
  typealias Actions = UDFReadme.Actions
  typealias AppState = UDFReadme.AppState

  final class App: Composer {
    @ComposableState var state = AppState()
    var action = PublishRelay<Actions>()
    var disposeBag = DisposeBag()
    let middleware: [any Middleware<AppState, Actions>]
    private let reduced: SharedVariable<[Actions]>

    init(_ middleware: UDFReadme.WebSocketsMiddleware, _ reduced: SharedVariable<[Actions]>) {
      (self.middleware, self.reduced) = ([middleware], reduced)
    }

    func reducer(_ state: inout AppState, _ action: Actions) -> Observable<Effect<Actions>> {
      reduced.value.append(action)
      switch action {
      case .didReceiveCurrentUser(let token): state.token = token
      case .logout: state.token = nil
      case .connectChat(let id): state.chatForm = .init(chatId: id, isChatConnected: true)
      case .disconnectChat: state.chatForm = .init()
      default: break
      }
      return .none
    }
  }

  private let harness = CableHarness()
  private let reduced = SharedVariable<[Actions]>([])

  private func app(on scheduler: (any ImmediateSchedulerType)? = nil) -> Composed<AppState, Actions>
  {
    harness.serve()
    let environment = UDFReadme.WebSocketsMiddleware.Environment.test { [harness] _ in
      harness.client
    }
    return harness.time.run {
      Composed(
        sending: App(.init(environment, on: scheduler), reduced),
        on: .virtual(harness.time)
      )
    }
  }

  private func say(_ message: JSONValue, to identifier: CableIdentifier) {
    harness.socket.message(message, to: identifier.text)
    harness.advance(0.5)
  }

  private let notifications = CableIdentifier("NotificationChannel")
  private let chat = UDFReadme.Chat(
    id: 7,
    title: "General",
    updated_at: Date(timeIntervalSince1970: 0),
    last_message: .init(id: 70, text: "hi", user: .init(id: 1, name: "Ann"))
  )

  private func notification(_ type: JSONValue) throws -> JSONValue {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return ["type": type, "data": try JSONValue(encoding: chat, using: encoder)]
  }

  @Test func `C24: the middleware runs with a test environment, and emits actions`() throws {
    let app = app()
    app.send(.didReceiveCurrentUser(token: "Bearer 1"))
    harness.advance(1)
    let message = try #require(chat.last_message)
    reduced.value = []
    say(try notification("new_chat"), to: notifications)
    let id = UDFReadme.WebSocketFlow.id
    #expect(
      reduced.value == [
        .didLoadMessage(message, id: id), .didLoadNestedItem(parentId: 7, item: 70, id: id),
        .didLoadChat(chat, id: id),
      ]
    )
    app.send(.connectChat(7))
    harness.advance(1)
    reduced.value = []
    say(try notification("update_chat"), to: notifications)
    #expect(reduced.value == [.didUpdateChat(chat, id: id)], "by the state at the dispatch")
    reduced.value = []
    say(["type": "who_knows"], to: notifications)
    #expect(reduced.value.isEmpty)
  }

  @Test
  func `C28: a message that cannot be decoded is an error of the flow, and the stream continues`()
    throws
  {
    let app = app()
    app.send(.didReceiveCurrentUser(token: "Bearer 1"))
    harness.advance(1)
    reduced.value = []
    say(["type": "new_chat", "data": ["id": "seven"]], to: notifications)
    guard case .error(.undecodable(let message, _), "websockets") = reduced.value.first else {
      Issue.record("\(reduced.value)")
      return
    }
    #expect(message["data"]?["id"] == "seven")
    say(try notification("new_chat"), to: notifications)
    #expect(reduced.value.last == .didLoadChat(chat, id: "websockets"))
    #expect(app.state.token == "Bearer 1")
  }

  @Test func `C14: DisconnectChat unsubscribes from the chat and reports it once`() {
    let app = app()
    app.send(.didReceiveCurrentUser(token: "Bearer 1"))
    app.send(.connectChat(7))
    app.send(.connectChat(7))
    harness.advance(1)
    let identifier = CableIdentifier("ChatChannel", ["chat_id": "7"])
    reduced.value = []
    say(["id": 1, "text": "a", "user": ["id": 1, "name": "Ann"]], to: identifier)
    app.send(.disconnectChat(7))
    say(["id": 2, "text": "b", "user": ["id": 1, "name": "Ann"]], to: identifier)
    let message = UDFReadme.Message(id: 1, text: "a", user: .init(id: 1, name: "Ann"))
    #expect(
      reduced.value == [
        .didLoadMessage(message, id: "websockets"), .disconnectChat(7),
        .didCancelEffect("websockets"),
      ]
    )
    #expect(harness.commands("ChatChannel") == ["subscribe", "unsubscribe"])
  }

  @Test func `C12: Logout ends all channels`() {
    let app = app()
    app.send(.didReceiveCurrentUser(token: "Bearer 1"))
    app.send(.connectChat(7))
    harness.advance(1)
    app.send(.logout)
    harness.advance(60)
    #expect(harness.sockets.count == 1)
    #expect(harness.client.identifierCount == 0)
    #expect(harness.client.state == .disconnected(.requested))
  }

  @Test func `C30: an app that becomes active connects at once`() {
    let app = app()
    app.send(.didReceiveCurrentUser(token: "Bearer 1"))
    harness.advance(1)
    harness.socket.end()
    #expect(harness.client.state == .waitingToReconnect)
    app.send(.becameActive)
    harness.time.settle()
    #expect(harness.client.state == .connected)
  }

  @Test func `C25: a middleware on its own scheduler sees the first action after the binding`() {
    let app = app(on: harness.time.scheduler)
    app.send(.didReceiveCurrentUser(token: "Bearer 1"))
    #expect(harness.sockets.isEmpty, "not where the composer reduces")
    harness.advance(1)
    #expect(harness.client.state == .connected)
    #expect(harness.commands("NotificationChannel") == ["subscribe"])
  }
}
