#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What happens to the socket of an effect, beside the messages that it is mapped to actions by.
public enum SocketLifecycle: Hashable, Sendable {
  /// Messages go both ways; again after each loss, when the socket reconnects.
  case connected
  /// A message came that is not what was expected; the next one may be.
  case undecodable(WebSocketMessage, WebSocketMessageError)
  /// Something went wrong; `disconnected` follows.
  case failed(WebSocketError)
  /// It is over, unless the socket reconnects.
  case disconnected(code: CloseCode, reason: String)
}

extension Observable where Element: EffectProtocol {
  /// Connects to `url`, each time the effect starts, and sends an action for each message of JSON.
  ///
  /// ```swift
  /// case .join(let url):
  ///   return .socket(url, as: ChatMessage.self) { .received($0) }
  /// ```
  ///
  /// All deadlines of the socket follow the composer's clock, unless the configuration has one. See
  /// ``socket(_:handle:received:lifecycle:)`` for the rest.
  ///
  /// - Parameters:
  ///   - url: `ws://host:port/path?query`.
  ///   - type: what the messages are the JSON of.
  ///   - configuration: headers, subprotocols, timeouts, limits.
  ///   - decoder: decodes the messages.
  ///   - handle: what to send by.
  ///   - received: makes the action of a message.
  ///   - lifecycle: makes the actions of everything else.
  public static func socket<Message: Decodable & Sendable>(
    _ url: String,
    as type: Message.Type,
    configuration: WebSocketConfiguration = .init(),
    decoder: JSONDecoder = JSONDecoder(),
    handle: SocketHandle? = nil,
    received: @escaping @Sendable (Message) -> Element.Action,
    lifecycle: (@Sendable (SocketLifecycle) -> Element.Action)? = nil
  ) -> Observable<Element> {
    let make: @Sendable () -> WebSocket = {
      var configuration = configuration
      configuration.scheduler = configuration.scheduler ?? EffectContext.ambient?.scheduler
      return WebSocket(url, configuration: configuration)
    }
    return .running(make, handle, lifecycle) { message throws(WebSocketMessageError) in
      received(try message.decode(type, decoder: decoder))
    }
  }

  /// Connects a socket and sends an action for each message of JSON.
  ///
  /// See ``socket(_:handle:received:lifecycle:)``.
  ///
  /// - Parameters:
  ///   - socket: not connected yet; the effect's from now on, which starts once.
  ///   - type: what the messages are the JSON of. One that is not fails the effect or, with a
  ///     `lifecycle`, is told as `undecodable`, and the effect goes on.
  ///   - decoder: decodes the messages.
  ///   - handle: what to send by.
  ///   - received: makes the action of a message.
  ///   - lifecycle: makes the actions of everything else.
  public static func socket<Message: Decodable & Sendable>(
    _ socket: any WebSocketType,
    as type: Message.Type,
    decoder: JSONDecoder = JSONDecoder(),
    handle: SocketHandle? = nil,
    received: @escaping @Sendable (Message) -> Element.Action,
    lifecycle: (@Sendable (SocketLifecycle) -> Element.Action)? = nil
  ) -> Observable<Element> {
    .running({ socket }, handle, lifecycle) { message throws(WebSocketMessageError) in
      received(try message.decode(type, decoder: decoder))
    }
  }

  /// Connects a socket of any kind and sends an action for each message.
  ///
  /// ```swift
  /// case .join:
  ///   return .socket(ReconnectingWebSocket { WebSocket(try await api.address()) }) {
  ///     .received($0)
  ///   } lifecycle: {
  ///     .chat($0)
  ///   }
  ///   .cancellable(id: "chat")
  /// ```
  ///
  /// The effect begins with the connection and ends with it. Cancelling the effect, by its id, its bag or
  /// the composer's end, closes the socket with 1001; an effect of `stateEffects(_:)` lives and closes
  /// as the state says.
  ///
  /// Without a `lifecycle` a socket that breaks fails the effect: a `catch`, or the composer's
  /// `effectFailed(_:from:)`, hears of it. With one, errors are actions like others, and the effect
  /// completes.
  ///
  /// - Parameters:
  ///   - socket: not connected yet; the effect's from now on, which starts once.
  ///   - handle: what to send by.
  ///   - received: makes the action of a message.
  ///   - lifecycle: makes the actions of everything else.
  public static func socket(
    _ socket: any WebSocketType,
    handle: SocketHandle? = nil,
    received: @escaping @Sendable (WebSocketMessage) -> Element.Action,
    lifecycle: (@Sendable (SocketLifecycle) -> Element.Action)? = nil
  ) -> Observable<Element> {
    .running({ socket }, handle, lifecycle) { message in received(message) }
  }

  private static func running(
    _ make: @escaping @Sendable () -> any WebSocketType,
    _ handle: SocketHandle?,
    _ lifecycle: (@Sendable (SocketLifecycle) -> Element.Action)?,
    _ received:
      @escaping @Sendable (WebSocketMessage) throws(WebSocketMessageError) ->
      Element.Action
  ) -> Observable<Element> {
    let context = EffectContext.ambient
    return .create { observer in
      // Also what starts late lives on the composer's clock.
      let socket = EffectContext.$current.withValue(context ?? .current, operation: make)
      handle?.attach(socket)
      let actions =
        if let lifecycle {
          socket.events.map { action(of: $0, received, lifecycle) }
        } else {
          socket.messages.map { try received($0) }
        }
      let subscription = actions.map { Element.send($0) }.subscribe(observer)
      socket.connect()
      return Disposables.create {
        handle?.detach(socket)
        subscription.dispose()
        socket.close(code: .goingAway)
      }
    }
  }

  private static func action(
    of event: WebSocketEvent,
    _ received: (WebSocketMessage) throws(WebSocketMessageError) -> Element.Action,
    _ lifecycle: (SocketLifecycle) -> Element.Action
  ) -> Element.Action {
    switch event {
    case .connected: return lifecycle(.connected)
    case .error(let error): return lifecycle(.failed(error))
    case .disconnected(let code, let reason):
      return lifecycle(.disconnected(code: code, reason: reason))
    case .message(let message):
      do throws(WebSocketMessageError) {
        return try received(message)
      } catch {
        return lifecycle(.undecodable(message, error))
      }
    }
  }
}
