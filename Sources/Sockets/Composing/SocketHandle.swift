#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a composer sends by to the socket that one of its effects has open.
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
/// It reaches the socket that was opened with it last, as long as that effect runs.
public final class SocketHandle: Sendable {
  private let current = Locked<(any WebSocketType)?>(nil)

  /// A handle without a socket.
  public init() {}

  /// The state of the socket; `disconnected` without one.
  public var state: WebSocketState { current.withLock { $0 }?.state ?? .disconnected }

  func attach(_ socket: any WebSocketType) { _ = current.replace(with: socket) }

  func detach(_ socket: any WebSocketType) {
    // Released here, unlocked.
    _ = current.withLock { current in
      let isCurrent = current === socket
      defer { if isCurrent { current = nil } }
      return isCurrent ? current : nil
    }
  }

  private func socket() throws(WebSocketError) -> any WebSocketType {
    guard let socket = current.withLock({ $0 }) else { throw .notConnected(.disconnected) }
    return socket
  }
}

// MARK: - Effects

extension SocketHandle {
  /// The effect that sends a message.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - sent: the action once the socket has taken it; none by default.
  ///   - failed: makes the action of an error, `notConnected` when there is no socket; without it, the
  ///     error goes to the composer's `effectFailed(_:from:)`.
  public func send<Action: Sendable>(
    _ message: WebSocketMessage,
    sent: Action? = nil,
    failed: (@Sendable (WebSocketError) -> Action)? = nil
  ) -> Observable<Effect<Action>> {
    sending(sent, failed) { handle throws(WebSocketError) in try handle.socket().send(message) }
  }

  /// The effect that sends a text message.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - sent: the action once the socket has taken it; none by default.
  ///   - failed: makes the action of an error; without it, the error goes to `effectFailed(_:from:)`.
  public func send<Action: Sendable>(
    _ text: String,
    sent: Action? = nil,
    failed: (@Sendable (WebSocketError) -> Action)? = nil
  ) -> Observable<Effect<Action>> { send(.text(text), sent: sent, failed: failed) }

  /// The effect that sends the JSON of a value.
  ///
  /// - Parameters:
  ///   - value: what is encoded when the effect starts.
  ///   - encoder: encodes it.
  ///   - sent: the action once the socket has taken it; none by default.
  ///   - failed: makes the action of a ``WebSocketError`` or a ``WebSocketMessageError``; without it, the
  ///     error goes to `effectFailed(_:from:)`.
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

  /// The effect that closes the socket, which the effect that has it open then tells.
  ///
  /// - Parameters:
  ///   - code: why; 1000 by default.
  ///   - reason: for people who read logs.
  public func close<Action: Sendable>(
    code: CloseCode = .normal,
    reason: String = ""
  ) -> Observable<Effect<Action>> {
    .deferred { [self] in
      current.withLock { $0 }?.close(code: code, reason: reason)
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
