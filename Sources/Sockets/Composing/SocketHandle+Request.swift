#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SocketHandle {
  /// An effect that sends a request and maps its reply to an action.
  ///
  /// ```swift
  /// case .addTapped:
  ///   return socket.request(Add(id: state.nextID(), a: 1, b: 2), as: Sum.self, matching: \.id) {
  ///     .added($0)
  ///   } failed: {
  ///     .notAdded($0)
  ///   }
  /// ```
  ///
  /// The request is sent when the effect starts. The effect ends with the reply, an error or the
  /// deadline. Cancelling the effect, by its id, its bag or the composer's end, ends the request: no
  /// action follows, and the late reply is counted. The socket's own effect does not receive the
  /// reply. See `WebSocketType.request(_:as:matching:timeout:)`.
  ///
  /// - Parameters:
  ///   - request: value with a key of its own, which is sent as JSON in a text message.
  ///   - type: type of the reply.
  ///   - key: key of the request in the reply.
  ///   - timeout: time from the start of the effect to the reply, 10 seconds by default, on the
  ///     clock of the socket, otherwise of the composer.
  ///   - whenLost: treatment when the connection ends before the reply; the request fails by
  ///     default.
  ///   - encoder: encodes the request.
  ///   - decoder: decodes messages and the reply; a plain one by default.
  ///   - received: maps the reply to an action.
  ///   - failed: maps an error to an action, `notSent` without a socket; when absent, the error goes
  ///     to the composer's `effectFailed(_:)`.
  public func request<Request, Reply, Action: Sendable>(
    _ request: Request,
    as type: Reply.Type,
    matching key: any Sendable & KeyPath<Reply, Request.ID>,
    timeout: Duration = .seconds(10),
    whenLost: LostRequestPolicy = .fail,
    encoder: JSONEncoder = JSONEncoder(),
    decoder: JSONDecoder? = nil,
    received: @escaping @Sendable (Reply) -> Action,
    failed: (@Sendable (RequestError) -> Action)? = nil
  ) -> Observable<Effect<Action>>
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Reply: Decodable & Sendable
  {
    requesting(received, failed) { socket in
      socket.request(
        request, as: type, matching: key, timeout: timeout, whenLost: whenLost,
        encoder: encoder, decoder: decoder)
    }
  }

  /// An effect that sends a request whose reply has its key in a header.
  ///
  /// See `WebSocketType.request(_:as:matching:timeout:)` for headers, and
  /// `request(_:as:matching:received:)` for the rest.
  public func request<Request, Header, Reply, Action: Sendable>(
    _ request: Request,
    as type: Reply.Type,
    matching key: any Sendable & KeyPath<Header, Request.ID>,
    timeout: Duration = .seconds(10),
    whenLost: LostRequestPolicy = .fail,
    encoder: JSONEncoder = JSONEncoder(),
    decoder: JSONDecoder? = nil,
    received: @escaping @Sendable (Reply) -> Action,
    failed: (@Sendable (RequestError) -> Action)? = nil
  ) -> Observable<Effect<Action>>
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Header: Decodable & Sendable, Reply: Decodable & Sendable
  {
    requesting(received, failed) { socket in
      socket.request(
        request, as: type, matching: key, timeout: timeout, whenLost: whenLost,
        encoder: encoder, decoder: decoder)
    }
  }

  private func requesting<Reply: Sendable, Action: Sendable>(
    _ received: @escaping @Sendable (Reply) -> Action,
    _ failed: (@Sendable (RequestError) -> Action)?,
    _ request: @escaping @Sendable (any WebSocketType) -> Single<Reply>
  ) -> Observable<Effect<Action>> {
    let context = EffectContext.ambient
    let effects = Observable<Effect<Action>>.deferred { [self] in
      do throws(WebSocketError) {
        let socket = try socket()
        // This runs later, when the effect starts: the request gets the composer's clock
        // nevertheless.
        let reply = EffectContext.$current.withValue(context ?? .current) { request(socket) }
        return reply.map { .send(received($0)) }.asObservable()
      } catch {
        throw RequestError.notSent(error)
      }
    }
    guard let failed else { return effects.named(.request) }
    return effects.catch { error in
      guard let error = error as? RequestError else { throw error }
      return .send(failed(error))
    }
    .named(.request)
  }
}
