#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A handle by which a composer sends to the socket of one of its effects.
///
/// ```swift
/// private let socket = SocketHandle()
///
/// case .join(let url):
///   return .socket(url, as: ChatMessage.self, handle: socket) { .received($0) }
/// case .sendTapped:
///   defer { state.draft = "" }
///   return socket.send(state.draft) { .notSent($0) }
/// ```
///
/// It refers to the last socket that was opened with it, while that effect runs.
public final class SocketHandle: Sendable {
  private let current = Locked<(any WebSocketType)?>(nil)

  /// Creates a handle without a socket.
  public init() {}

  /// The state of the socket; `disconnected` without one.
  public var state: WebSocketState { current.withLock { $0 }?.state ?? .disconnected }

  func attach(_ socket: any WebSocketType) { _ = current.replace(with: socket) }

  func detach(_ socket: any WebSocketType) {
    // Released after unlocking.
    _ = current.withLock { $0 === socket ? $0.take() : nil }
  }

  func socket() throws(WebSocketError) -> any WebSocketType {
    guard let socket = current.withLock({ $0 }) else { throw .notConnected(.disconnected) }
    return socket
  }
}

// MARK: - Effects

extension SocketHandle {
  /// An effect that sends a message.
  ///
  /// - Parameters:
  ///   - message: text or binary message.
  ///   - sent: action to send once the socket has taken the message; none by default.
  ///   - failed: maps an error to an action, `notConnected` without a socket; when absent, the
  ///     error goes to the composer's `effectFailed(_:)`.
  public func send<Action: Sendable>(
    _ message: WebSocketMessage,
    sent: Action? = nil,
    failed: (@Sendable (WebSocketError) -> Action)? = nil
  ) -> Observable<Effect<Action>> {
    sending(sent, failed) { handle throws(WebSocketError) in try handle.socket().send(message) }
  }

  /// An effect that sends a text message.
  ///
  /// - Parameters:
  ///   - text: content of the message.
  ///   - sent: action to send once the socket has taken the message; none by default.
  ///   - failed: maps an error to an action; when absent, the error goes to
  ///     `effectFailed(_:)`.
  public func send<Action: Sendable>(
    _ text: String,
    sent: Action? = nil,
    failed: (@Sendable (WebSocketError) -> Action)? = nil
  ) -> Observable<Effect<Action>> { send(.text(text), sent: sent, failed: failed) }

  /// An effect that sends a value as JSON.
  ///
  /// - Parameters:
  ///   - value: encoded when the effect starts.
  ///   - encoder: encodes the value.
  ///   - sent: action to send once the socket has taken the message; none by default.
  ///   - failed: maps a ``WebSocketError`` or a ``WebSocketMessageError`` to an action; when
  ///     absent, the error goes to `effectFailed(_:)`.
  public func send<Action: Sendable>(
    json value: some Encodable & Sendable,
    encoder: JSONEncoder = JSONEncoder(),
    sent: Action? = nil,
    failed: (@Sendable (any Error) -> Action)? = nil
  ) -> Observable<Effect<Action>> {
    sending(sent, failed) { handle in
      try handle.socket().send(.json(value, encoder: encoder))
    }
  }

  /// An effect that closes the socket; the socket's own effect reports the end.
  ///
  /// - Parameters:
  ///   - code: close code; 1000 by default.
  ///   - reason: text for logs.
  public func close<Action: Sendable>(
    code: CloseCode = .normal,
    reason: String = ""
  ) -> Observable<Effect<Action>> {
    .deferred { [self] in
      current.withLock { $0 }?.close(code: code, reason: reason)
      return .none
    }
  }

  /// An effect that ends the wait of a ``ReconnectingWebSocket`` for its next attempt, which begins now.
  ///
  /// For when the network or the app is active again. Does nothing while there is no wait, and without a
  /// socket.
  public func reconnectNow<Action: Sendable>() -> Observable<Effect<Action>> {
    .deferred { [self] in
      current.withLock { $0 }?.reconnectNow()
      return .none
    }
  }

  private func sending<Action: Sendable, Failure: Error>(
    _ sent: Action?,
    _ failed: (@Sendable (Failure) -> Action)?,
    _ send: @escaping @Sendable (SocketHandle) throws(Failure) -> Void
  ) -> Observable<Effect<Action>> {
    .deferred { [self] in
      do throws(Failure) {
        try send(self)
        if let sent { return .send(sent) }
        return .none
      } catch {
        guard let failed else { throw error }
        return .send(failed(error))
      }
    }
  }
}
