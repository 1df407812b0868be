import Foundation
import Inspector
import TestSupport
import Testing

@testable import Inspector

/// A client of the protocol.
final class InspectorClient: Sendable {
  let socket: WebSocket
  /// The notifications, by method.
  let notifications = Watched<[(method: String, params: AnyJSON)]>([])
  private let bag = DisposeBag()
  private let lastID = Locked(0)

  struct Reply: Decodable, Sendable {
    let id: Int
    let result: AnyJSON?
    let error: Failure?
  }

  struct Failure: Decodable, Error, Equatable {
    let code: Int
    let message: String
    var data: [String: Int]?
  }

  private struct Request: Encodable, Identifiable {
    let jsonrpc = "2.0"
    let id: Int
    let method: String
    let params: AnyJSON
  }

  private struct Notification: Decodable {
    let method: String
    let params: AnyJSON
  }

  /// Connects to the inspector with the page at `url`.
  init(_ url: String) async throws {
    socket = WebSocket.connect(to: url.replacing("http://", with: "ws://") + "socket")
    socket.messages
      .subscribe(onNext: { [notifications] message in
        guard let sent: Notification = try? message.decode() else { return }
        notifications.update { $0.append((sent.method, sent.params)) }
      })
      .disposed(by: bag)
    try await socket.connected()
  }

  /// Connects and says hello.
  static func greeted(_ url: String) async throws -> InspectorClient {
    let client = try await InspectorClient(url)
    try await client("hello", ["version": 1])
    return client
  }

  /// Sends a request and returns its result.
  ///
  /// - Throws: `Failure` for an error of the server.
  @discardableResult
  func callAsFunction(_ method: String, _ params: AnyJSON = [:]) async throws -> AnyJSON {
    let id = lastID.withLock { id in
      id += 1
      return id
    }
    let reply = try await socket.request(
      Request(id: id, method: method, params: params), as: Reply.self, matching: \.id,
      timeout: .seconds(60)
    )
    .value
    if let error = reply.error { throw error }
    return try #require(reply.result)
  }

  /// The error that a request fails with; nil for none.
  func failure(_ method: String, _ params: AnyJSON = [:]) async throws -> Failure? {
    do {
      try await self(method, params)
      return nil
    } catch let failure as Failure {
      return failure
    }
  }

  /// Waits until the list of a query has so many events.
  func waitForEvents(_ count: Int, in query: Int) async {
    await notifications.wait { all in
      all.contains { method, params in
        method == "query" && params["query"] == .integer(Int64(query))
          && (params["count"]?.number ?? 0) >= count && params["searched"]?.number == 1
      }
    }
  }
}
