#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Observable where Element: EffectProtocol {
  /// Connects to `url` each time the effect starts, and sends an action for each JSON message.
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
  ///   - type: type of the JSON messages.
  ///   - configuration: headers, subprotocols, timeouts, limits.
  ///   - decoder: decodes the messages.
  ///   - handle: handle for sending to the socket.
  ///   - received: maps a message to an action.
  ///   - lifecycle: maps every other event to an action.
  public static func socket<Message: Decodable & Sendable>(
    _ url: String,
    as type: Message.Type,
    configuration: WebSocketConfiguration = .init(),
    decoder: JSONDecoder = JSONDecoder(),
    handle: SocketHandle? = nil,
    received: @escaping @Sendable (Message) -> Element.Action,
    lifecycle: (@Sendable (SocketLifecycleEvent) -> Element.Action)? = nil
  ) -> Observable<Element> {
    let make: @Sendable () -> WebSocket = {
      var configuration = configuration
      configuration.scheduler = configuration.scheduler ?? Dependencies.current.injectedClock
      return WebSocket(url, configuration: configuration)
    }
    return .running(make, handle, lifecycle) { message throws(WebSocketMessageError) in
      received(try message.decode(type, decoder: decoder))
    }
  }

  /// Connects a socket and sends an action for each JSON message.
  ///
  /// See ``socket(_:handle:received:lifecycle:)``.
  ///
  /// - Parameters:
  ///   - socket: not connected yet; owned by the effect from now on, which starts once.
  ///   - type: type of the JSON messages. Another message fails the effect or, with a `lifecycle`,
  ///     is reported as `undecodable`, and the effect continues.
  ///   - decoder: decodes the messages.
  ///   - handle: handle for sending to the socket.
  ///   - received: maps a message to an action.
  ///   - lifecycle: maps every other event to an action.
  public static func socket<Message: Decodable & Sendable>(
    _ socket: any WebSocketType,
    as type: Message.Type,
    decoder: JSONDecoder = JSONDecoder(),
    handle: SocketHandle? = nil,
    received: @escaping @Sendable (Message) -> Element.Action,
    lifecycle: (@Sendable (SocketLifecycleEvent) -> Element.Action)? = nil
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
  /// The effect begins with the connection and ends with it. Cancelling the effect, by its id, its
  /// bag or the composer's end, closes the socket with 1001. For an effect of `stateEffects(_:)`
  /// the state decides when it begins and ends.
  ///
  /// Without a `lifecycle`, a socket that breaks fails the effect: a `catch`, or the composer's
  /// `effectFailed(_:)`, receives the error. With a `lifecycle`, errors are mapped to actions,
  /// and the effect completes: ``SocketLifecycleEvent/disconnected(code:reason:)`` is its last action.
  ///
  /// - Parameters:
  ///   - socket: not connected yet; owned by the effect from now on, which starts once.
  ///   - handle: handle for sending to the socket.
  ///   - received: maps a message to an action.
  ///   - lifecycle: maps every other event to an action.
  public static func socket(
    _ socket: any WebSocketType,
    handle: SocketHandle? = nil,
    received: @escaping @Sendable (WebSocketMessage) -> Element.Action,
    lifecycle: (@Sendable (SocketLifecycleEvent) -> Element.Action)? = nil
  ) -> Observable<Element> {
    .running({ socket }, handle, lifecycle) { message in received(message) }
  }

  private static func running(
    _ make: @escaping @Sendable () -> any WebSocketType,
    _ handle: SocketHandle?,
    _ lifecycle: (@Sendable (SocketLifecycleEvent) -> Element.Action)?,
    _ received:
      @escaping @Sendable (WebSocketMessage) throws(WebSocketMessageError) ->
      Element.Action
  ) -> Observable<Element> {
    let context = EffectContext.ambient
    return .create { observer in
      // `make` runs later, when the effect starts: it gets the composer's clock nevertheless.
      let socket = EffectContext.$current.withValue(context ?? .current, operation: make)
      handle?.attach(socket)
      let actions =
        if let lifecycle {
          SocketInput.inputs(of: socket).map { action(of: $0, received, lifecycle) }
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
    .named(.socket)
  }

  private static func action(
    of input: SocketInput,
    _ received: (WebSocketMessage) throws(WebSocketMessageError) -> Element.Action,
    _ lifecycle: (SocketLifecycleEvent) -> Element.Action
  ) -> Element.Action {
    switch input {
    case .lifecycle(let event): return lifecycle(event)
    case .message(let message):
      do throws(WebSocketMessageError) {
        return try received(message)
      } catch {
        return lifecycle(.undecodable(message, error))
      }
    }
  }
}
