import Foundation
import Reactive
import Sockets
import TestSupport

@testable import SocketsRedis

/// A server with a room, whose messages, states and errors are recorded.
final class RoomMember: Sendable {
  let server: WebSocketServer
  let room: WebSocketTopic
  let heard = Watched<[String]>([])
  let presence = Watched<Int>(0)
  /// `connected`, or the reason why it is not.
  let states = Watched<[String]>([])
  let errors = Watched<[BackplaneError]>([])
  private let bag = DisposeBag()

  init(
    _ url: String, _ delivery: RedisDelivery = .publishSubscribe,
    _ change: (inout RedisConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = RedisConfiguration()
    configuration.delivery = delivery
    configuration.reconnection = .fixed(.milliseconds(20), maxAttempts: nil)
    change(&configuration)
    server = try WebSocketServer(
      backplane: try RedisBackplane(url, configuration: configuration))
    room = server.topic("room")
    room.messages.subscribe(onNext: { [heard] message in
      heard.update { $0.append(message.text ?? "\(Array(message.data))") }
    }).disposed(by: bag)
    room.presence.subscribe(onNext: { [presence] count in presence.update { $0 = count } })
      .disposed(by: bag)
    server.backplaneStates.subscribe(onNext: { [states] state in
      switch state {
      case .connecting: break
      case .connected: states.update { $0.append("connected") }
      case .disconnected(let reason): states.update { $0.append("\(reason)") }
      }
    }).disposed(by: bag)
    server.backplaneErrors.subscribe(onNext: { [errors] error in
      errors.update { $0.append(error) }
    }).disposed(by: bag)
  }

  func waitUntilConnected() async { await states.wait { $0.last == "connected" } }

  /// Adds a client that is subscribed to the room.
  func client() async -> (WebSocket, SocketEventRecorder) {
    let before = room.count
    let accepted = server.connections.take(1).subscribe(onNext: { [room] in room.subscribe($0) })
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    await presence.wait { [room] _ in room.count > before }
    accepted.dispose()
    return (socket, recorder)
  }

  /// The reasons of the messages that were not published.
  var unpublished: [RedisError] {
    errors.value.compactMap { error in
      if case .notPublished(_, let reason as RedisError) = error { reason } else { nil }
    }
  }
}

extension RoomMember {
  /// Two servers that are connected and hear each other.
  static func pair(
    _ redis: RedisServer, _ delivery: RedisDelivery = .publishSubscribe,
    _ change: (inout RedisConfiguration) -> Void = { _ in }
  ) async throws -> (RoomMember, RoomMember) {
    let first = try RoomMember(redis.url, delivery, change)
    let second = try RoomMember(redis.url, delivery, change)
    for member in [first, second] { await member.waitUntilConnected() }
    await meet(first, second)
    return (first, second)
  }

  /// Waits until each hears the others, and nothing of that is under way any more.
  static func meet(_ members: RoomMember...) async {
    for member in members {
      for other in members where other !== member {
        let hello = "hello \(UUID().uuidString)"
        while !other.heard.value.contains(hello) {
          member.room.publish(.text(hello))
          await EventLoop.shared.settle()
        }
        let last = "last \(UUID().uuidString)"
        member.room.publish(.text(last))
        await other.heard.wait { $0.contains(last) }
      }
    }
    for member in members { member.heard.update { $0 = [] } }
  }
}

extension [BackplaneError] {
  /// The number of messages that were not published, or possibly not.
  var unpublishedCount: Int {
    reduce(0) { sum, error in
      if case .notPublished(let count, _) = error { sum + count } else { sum }
    }
  }
}
