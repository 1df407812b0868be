import Foundation
import Sockets

/// A JSON-RPC 2.0 client over a WebSocket.
final class RPCClient: Sendable {
  /// The notifications from the peer; ends with the connection.
  let notifications = PublishSubject<RPCNotification>()

  private let socket: WebSocket
  private let lastID = Locked(0)
  private let disposeBag = DisposeBag()

  /// The time after which a request without a reply fails, in seconds.
  private static let timeout = 30

  /// The most bytes of a request, beyond which an inspector ends the connection.
  private static let requestLimit = 1 << 20

  /// - Parameter socket: a WebSocket that is not connected yet.
  init(_ socket: WebSocket) {
    self.socket = socket
    socket.messages
      .compactMap { try? $0.decode(RPCNotification.self, decoder: .ofProtocol) }
      .subscribe(notifications)
      .disposed(by: disposeBag)
  }

  deinit { socket.close() }

  /// Whether requests can be sent.
  var isConnected: Bool { socket.state == .connected }

  /// Returns once requests can be sent.
  ///
  /// - Throws: `WebSocketError`; `CancellationError`.
  func connect() async throws { try await socket.connected() }

  /// Sends a request, and returns its result.
  ///
  /// - Throws: ``ServerError`` for an error of the peer, ``InspectError`` for any other;
  ///   `CancellationError`.
  func call<Result: Decodable & Sendable>(
    _ method: String, _ params: some Encodable & Sendable, as type: Result.Type
  ) async throws -> Result {
    let id = lastID.withLock { id in
      id += 1
      return id
    }
    let request = RPCRequest(id: id, method: method, params: params)
    guard try JSONEncoder.ofProtocol.encode(request).count <= Self.requestLimit else {
      let limit = Figures.count(Self.requestLimit)
      throw InspectError.invalid("a request cannot be longer than \(limit) bytes")
    }
    do {
      let reply = try await socket.request(
        request, as: RPCReply<Result>.self,
        matching: \RPCReplyHeader.id, timeout: .seconds(Self.timeout), encoder: .ofProtocol,
        decoder: .ofProtocol)
      if let error = reply.error { throw error }
      guard let result = reply.result else {
        throw InspectError.notUnderstood("the reply to \(method) has no result")
      }
      return result
    } catch let error as RequestError {
      throw Self.problem(error)
    }
  }

  private static func problem(_ error: RequestError) -> InspectError {
    switch error {
    case .notSent, .connectionLost: .programEnded
    case .timedOut: .noReply(seconds: timeout)
    case .invalidRequest, .keyInUse, .invalidReply: .notUnderstood("\(error)")
    }
  }
}
