import Foundation
import ReactiveTesting
import TestSupport

@testable import Sockets

/// A request of the tests.
struct Ask: Codable, Equatable, Identifiable {
  let id: Int
  var text = ""
}

/// A reply of the tests, which has the key of its request.
struct Answer: Codable, Equatable {
  let id: Int
  var text = ""
}

/// The header of replies of any type.
struct Header: Codable { let id: Int }

/// The results of requests, in order, as text.
final class RequestLog: Sendable {
  private let log = Watched<[String]>([])
  private let subscriptions = Locked<[Int: any Disposable]>([:])

  /// Starts a request.
  func start(_ id: Int, _ request: Single<Answer>) {
    let log = log
    let subscription = request.subscribe(
      onSuccess: { answer in log.update { $0.append("\(id): \(answer.text)") } },
      onFailure: { error in
        let name = (error as? RequestError).map(\.short) ?? "\(error)"
        log.update { $0.append("\(id): \(name)") }
      })
    subscriptions.withLock { $0[id] = subscription }
  }

  func dispose(_ id: Int) { subscriptions.withLock { $0.removeValue(forKey: id) }?.dispose() }

  var results: [String] { log.value }

  func wait(for count: Int) async { await log.wait { $0.count >= count } }
}

extension RequestError {
  /// The name of the case, with the error in it.
  var short: String {
    switch self {
    case .invalidRequest: "invalid request"
    case .keyInUse(let key): "key \(key) in use"
    case .notSent(let error): "not sent(\(error.short))"
    case .connectionLost(let error): "lost(\(error.short))"
    case .timedOut(let limit): "timed out after \(limit)"
    case .invalidReply: "invalid reply"
    }
  }
}

extension WebSocketError {
  fileprivate var short: String {
    switch self {
    case .closed(let code, _): "closed \(code)"
    case .notConnected(let state): "\(state)"
    case .backlogFull(let limit): "full \(limit)"
    case .connectionLost: "cut"
    default: "\(self)"
    }
  }
}

extension WebSocketType {
  /// Sends an answer, as a peer does.
  func answer(_ id: Int, _ text: String = "") throws { try send(json: Answer(id: id, text: text)) }
}

extension MockWebSocket {
  /// The received messages as requests.
  var asks: [Ask] { received.compactMap { try? $0.decode() } }
}
