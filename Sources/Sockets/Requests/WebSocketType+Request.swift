#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests that the peer answers with a message of the same key.
extension WebSocketType {
  /// A request and its reply: sends the JSON of `request`, and emits the message with its key.
  ///
  /// ```swift
  /// struct Add: Encodable, Identifiable { let id: Int, a: Int, b: Int }
  /// struct Sum: Decodable { let id: Int, total: Int }
  ///
  /// socket.request(Add(id: 7, a: 1, b: 2), as: Sum.self, matching: \.id)
  ///   .subscribe(onSuccess: { print($0.total) })
  /// ```
  ///
  /// Each subscription sends the request as `send` does: a ``WebSocket`` must be connected, and a
  /// ``ReconnectingWebSocket`` queues the request while it has no connection. The reply is the next
  /// message that is a `Reply` and has the request's `id` at `key`. It is delivered on the thread of
  /// the socket's messages; `messages` and `events` do not emit it. Every other message is an
  /// ordinary one. Disposal ends the request: its late reply is counted in
  /// ``PendingRequests/metrics``, and not delivered. The connection lives as long as the request.
  ///
  /// The single fails with a ``RequestError``. <doc:SendingRequests> describes envelopes, losses and flow
  /// control.
  ///
  /// - Parameters:
  ///   - request: value with a key of its own, which is sent as JSON in a text message.
  ///   - type: type of the reply.
  ///   - key: key of the request in the reply.
  ///   - timeout: time from the subscription to the reply, 10 seconds by default, on the clock of
  ///     the socket, otherwise of the composer.
  ///   - whenLost: treatment when the connection ends before the reply; the request fails by
  ///     default.
  ///   - encoder: encodes the request.
  ///   - decoder: decodes messages and the reply; a plain one by default. Use one object for all
  ///     requests, since each message is decoded once for each decoder.
  public func request<Request, Reply>(
    _ request: Request,
    as type: Reply.Type,
    matching key: any Sendable & KeyPath<Reply, Request.ID>,
    timeout: Duration = .seconds(10),
    whenLost: LostRequestPolicy = .fail,
    encoder: JSONEncoder = JSONEncoder(),
    decoder: JSONDecoder? = nil
  ) -> Single<Reply>
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Reply: Decodable & Sendable
  {
    exchange(
      request, type, ReplyReader(key, decoder), timeout, whenLost, encoder)
  }

  /// A request whose reply has its key in a header, which replies of several types share.
  ///
  /// ```swift
  /// struct Header: Decodable { let id: Int }
  ///
  /// socket.request(Add(id: 7, a: 1, b: 2), as: Sum.self, matching: \Header.id)
  /// ```
  ///
  /// Each message is decoded as a `Header`, once for all requests, and as a `Reply` if the key is
  /// that of this request. A reply that is not a `Reply` fails the request with
  /// ``RequestError/invalidReply(_:)``. Requests with the same header have separate keys, whatever
  /// their replies. See `WebSocketType.request(_:as:matching:timeout:)` for the rest.
  public func request<Request, Header, Reply>(
    _ request: Request,
    as type: Reply.Type,
    matching key: any Sendable & KeyPath<Header, Request.ID>,
    timeout: Duration = .seconds(10),
    whenLost: LostRequestPolicy = .fail,
    encoder: JSONEncoder = JSONEncoder(),
    decoder: JSONDecoder? = nil
  ) -> Single<Reply>
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Header: Decodable & Sendable, Reply: Decodable & Sendable
  {
    exchange(
      request, type, ReplyReader(key, decoder), timeout, whenLost, encoder)
  }

  private func exchange<Request, Reply>(
    _ request: Request,
    _ type: Reply.Type,
    _ reader: ReplyReader,
    _ timeout: Duration,
    _ whenLost: LostRequestPolicy,
    _ encoder: JSONEncoder
  ) -> Single<Reply>
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Reply: Decodable & Sendable
  {
    let context = EffectContext.ambient
    return .create { [self] observer in
      let message: WebSocketMessage
      do throws(WebSocketMessageError) {
        message = try .json(request, encoder: encoder)
      } catch {
        observer(.failure(RequestError.invalidRequest(error)))
        return Disposables.create()
      }
      let outgoing = OutgoingRequest(
        message, key: request.id, reader, timeout: timeout, whenLost: whenLost
      ) { outcome in
        observer(Result { try outcome.reply(type, decoder: reader.decoder) })
      }
      let scheduler = (context ?? EffectContext.current)?.scheduler
      let waiting = pendingRequests.start(outgoing, on: scheduler) {
        message throws(WebSocketError) in try send(message)
      }
      // Keeps the connection while the request waits.
      return Disposables.create { withExtendedLifetime(self) { waiting.dispose() } }
    }
  }
}

extension WebSocketType {
  /// Sends a request, and returns its reply.
  ///
  /// ```swift
  /// let sum = try await socket.request(Add(id: 7, a: 1, b: 2), as: Sum.self, matching: \.id)
  /// ```
  ///
  /// When the task is cancelled, the request ends as by disposal. In an async context a variable
  /// for the single of the other form needs a type: `let sum: Single<Sum> = socket.request(...)`.
  /// See `WebSocketType.request(_:as:matching:timeout:)` for the parameters.
  ///
  /// - Throws: ``RequestError``; `CancellationError`.
  public func request<Request, Reply>(
    _ request: Request,
    as type: Reply.Type,
    matching key: any Sendable & KeyPath<Reply, Request.ID>,
    timeout: Duration = .seconds(10),
    whenLost: LostRequestPolicy = .fail,
    encoder: JSONEncoder = JSONEncoder(),
    decoder: JSONDecoder? = nil
  ) async throws -> Reply
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Reply: Decodable & Sendable
  {
    try await exchange(
      request, type, ReplyReader(key, decoder), timeout, whenLost, encoder
    ).value
  }

  /// Sends a request whose reply has its key in a header, and returns the reply.
  ///
  /// - Throws: ``RequestError``; `CancellationError`.
  public func request<Request, Header, Reply>(
    _ request: Request,
    as type: Reply.Type,
    matching key: any Sendable & KeyPath<Header, Request.ID>,
    timeout: Duration = .seconds(10),
    whenLost: LostRequestPolicy = .fail,
    encoder: JSONEncoder = JSONEncoder(),
    decoder: JSONDecoder? = nil
  ) async throws -> Reply
  where
    Request: Encodable & Identifiable & Sendable, Request.ID: Sendable,
    Header: Decodable & Sendable, Reply: Decodable & Sendable
  {
    try await exchange(
      request, type, ReplyReader(key, decoder), timeout, whenLost, encoder
    ).value
  }
}

extension RequestOutcome {
  /// Decodes the reply, unless the header was it.
  fileprivate func reply<Reply: Decodable>(
    _ type: Reply.Type, decoder: JSONDecoder
  ) throws(RequestError) -> Reply {
    switch self {
    case .failure(let error): throw error
    case .reply(let message, let header):
      if Swift.type(of: header) == type, let reply = header as? Reply { return reply }
      do throws(WebSocketMessageError) {
        return try message.decode(type, decoder: decoder)
      } catch {
        throw .invalidReply(error)
      }
    }
  }
}
