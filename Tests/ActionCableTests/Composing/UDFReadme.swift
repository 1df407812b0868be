import Foundation
import ActionCable
import Synchronization

// The code of UDFWebSocketsClient's README in the names of this package: see UDFNames.md.

enum UDFReadme {
  // MARK: Types the README assumes

  enum WebSocketFlow { static let id = "websockets" }

  enum SocketChannel {
    static let notification = "NotificationChannel"
    static let chat = "ChatChannel"
    enum Param { static let chatId = "chat_id" }
  }

  struct Message: Equatable, Codable {
    var id: Int
    var text: String
    var user: User
  }

  struct User: Equatable, Codable {
    var id: Int
    var name: String
  }

  struct Chat: Equatable, Codable {
    var id: Int
    var title: String
    var updated_at: Date
    var last_message: Message?
  }

  struct AppState: Equatable {
    var token: String?
    var chatForm = ChatForm()
    var isFirstSeen = false

    struct ChatForm: Equatable {
      var chatId: Int?
      var isChatConnected = false
    }
  }

  enum Actions: Equatable {
    case logout
    case didReceiveCurrentUser(token: String)
    case becameActive
    case connectChat(Int)
    case disconnectChat(Int)
    case didLoadChat(Chat, id: String)
    case didUpdateChat(Chat, id: String)
    case didLoadMessage(Message, id: String)
    case didLoadNestedItem(parentId: Int, item: Int, id: String)
    case didLoadUser(User, id: String)
    case error(ChannelFailure, id: String)
    case didCancelEffect(String)
  }

  // MARK: WebSocketsMiddleware

  final class WebSocketsMiddleware: Middleware {
    enum Cancellation: Hashable {
      case socketChannelChats
      case socketChannelChat(Int)
    }

    struct Environment: Sendable {
      var clientBuilder: @Sendable (_ token: String) -> CableClient
      var channelBuilder:
        @Sendable (_ client: CableClient?, _ name: String, _ identifier: [String: JSONValue]?) ->
          CableChannel?
    }

    let environment: Environment
    let scheduler: (any ImmediateSchedulerType)?
    private let client = Mutex<CableClient?>(nil)

    init(_ environment: Environment, on scheduler: (any ImmediateSchedulerType)? = nil) {
      (self.environment, self.scheduler) = (environment, scheduler)
    }

    func didReduce(_ action: Actions, _ state: AppState) -> Observable<Effect<Actions>> {
      switch action {
      case .logout:
        client.withLock { client in
          defer { client = nil }
          return client
        }?
        .disconnect()
        return .cancelAll

      case .didReceiveCurrentUser(let token): return connect(token)

      case .becameActive:
        guard let token = state.token else { return .none }
        client.withLock { $0 }?.reconnectNow()
        return connect(token)

      case .connectChat(let id):
        // No `unowned self`, and no optional `client`: the effect owns its client.
        let client = client.withLock { $0 }
        return SocketChannelEffect(
          channelBuilder: { [environment] in
            environment.channelBuilder(
              client,
              SocketChannel.chat,
              [SocketChannel.Param.chatId: .string(String(id))]
            )
          },
          outputMapper: ChatChannelOutputMapper(),
          actionMapper: ChatChannelActionMapper(),
          flowID: WebSocketFlow.id,
          errorMapper: { .error($0, id: $1) }
        )
        .effect(cancellation: Cancellation.socketChannelChat(id)) { .didCancelEffect($0) }

      case .disconnectChat(let id): return .cancel(id: Cancellation.socketChannelChat(id))

      default: return .none
      }
    }

    private func connect(_ token: String) -> Observable<Effect<Actions>> {
      let made = client.withLock { client -> CableClient? in
        guard client == nil else { return nil }
        client = environment.clientBuilder(token)
        return client
      }
      guard let made else { return .none }
      made.connect()
      return SocketChannelEffect(
        channelBuilder: { [environment] in
          environment.channelBuilder(made, SocketChannel.notification, nil)
        },
        outputMapper: NotificationChannelOutputMapper(),
        actionMapper: NotificationChannelActionMapper(),
        flowID: WebSocketFlow.id,
        errorMapper: { .error($0, id: $1) }
      )
      .effect(cancellation: Cancellation.socketChannelChats)
    }
  }

  // MARK: Mappings

  enum NotificationChannelOutput: Equatable {
    case newChat(Chat)
    case updateChat(Chat)
  }

  struct NotificationChannelActionMapper: ChannelActionMapping {
    func mapAction(
      from output: NotificationChannelOutput,
      state: AppState
    ) -> ActionGroup<Actions> {
      let flowId = WebSocketFlow.id

      return ActionGroup {
        switch output {
        case .newChat(let chat):
          if let lastMessage = chat.last_message {
            Actions.didLoadMessage(lastMessage, id: flowId)
            Actions.didLoadNestedItem(parentId: chat.id, item: lastMessage.id, id: flowId)
          }
          Actions.didLoadChat(chat, id: flowId)
        case .updateChat(let chat):
          Actions.didUpdateChat(chat, id: flowId)
          if state.chatForm.chatId != chat.id || !state.chatForm.isChatConnected,
            let lastMessage = chat.last_message
          {
            Actions.didLoadMessage(lastMessage, id: flowId)
            Actions.didLoadNestedItem(parentId: chat.id, item: lastMessage.id, id: flowId)
            Actions.didLoadUser(lastMessage.user, id: flowId)
          }
        }
      }
    }
  }

  struct NotificationChannelOutputMapper: ChannelOutputMapping {
    enum MessageType: String, Codable {
      case newChat = "new_chat"
      case updateChat = "update_chat"
    }

    let decoder: JSONDecoder = {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      return decoder
    }()

    func map(from message: JSONValue) throws -> NotificationChannelOutput? {
      guard let type = message["type"]?.string.flatMap(MessageType.init), let data = message["data"]
      else { return nil }

      switch type {
      case .newChat: return .newChat(try data.decode(using: decoder))
      case .updateChat: return .updateChat(try data.decode(using: decoder))
      }
    }
  }

  struct ChatChannelOutputMapper: ChannelOutputMapping {
    func map(from message: JSONValue) throws -> Message? { try message.decode() }
  }

  struct ChatChannelActionMapper: ChannelActionMapping {
    func mapAction(from output: Message, state: AppState) -> ActionGroup<Actions> {
      ActionGroup { Actions.didLoadMessage(output, id: WebSocketFlow.id) }
    }
  }
}

// MARK: Explicit environments

extension UDFReadme.WebSocketsMiddleware.Environment {
  static func live(host: String) -> Self {
    Self(
      clientBuilder: { token in
        let cableToken = token.dropFirst(7)
        return CableClient("wss://\(host)/cable?token=\(cableToken)")
      },
      channelBuilder: { client, name, identifier in
        let options = CableChannelOptions(autoSubscribe: true, buffering: .fail)
        return client?.channel(name, identifier ?? [:], options: options)
      }
    )
  }

  /// An environment with clients of the test.
  static func test(_ client: @escaping @Sendable (_ token: String) -> CableClient) -> Self {
    var environment = live(host: "test")
    environment.clientBuilder = client
    return environment
  }
}
