import Foundation
import SocketsRedis

/// One of several servers on a port, whose topic all connections of all servers are subscribed to.
final class ClusterServer: ClusterMember {
  private let server: WebSocketServer
  private let topic: WebSocketTopic
  private let isJoined = Locked(false)

  /// - Parameters:
  ///   - port: 0 for the first server
  ///   - redis: URL of the backplane
  init(port: UInt16, redis: String) throws {
    var admission = WebSocketAdmission()
    admission.connectionLimit = 20_000
    server = try WebSocketServer(
      port: port, admission: admission, reusesPort: true, backplane: try RedisBackplane(redis))
    topic = server.topic("all")
    _ = server.connections.subscribe(onNext: { [topic] in topic.subscribe($0) })
    _ = server.backplaneStates.subscribe(onNext: { [isJoined] state in
      isJoined.withLock { $0 = state.isConnected }
    })
  }

  func execute(_ command: ClusterCommand) async throws -> ClusterAnswer {
    var answer = ClusterAnswer()
    switch command {
    case .status:
      try await wait(for: "the backplane") { [isJoined] in isJoined.withLock { $0 } }
    case .awaitSubscribers(let count):
      let present = Locked(0)
      let observation = topic.presence.subscribe(onNext: { count in
        present.withLock { $0 = count }
      })
      defer { observation.dispose() }
      try await wait(for: "\(count) subscribers") { present.withLock { $0 } == count }
    case .publish:
      let start = DispatchTime.now().uptimeNanoseconds
      topic.publish(.text("published at \(start)"))
      answer.microseconds = Int(DispatchTime.now().uptimeNanoseconds - start) / 1_000
    case .shutDown(let seconds):
      answer.dropped = await server.shutDown(
        within: .seconds(30), spreadOver: .seconds(seconds))
    default:
      throw Problem("no command for a server")
    }
    answer.port = server.port
    answer.open = server.totals.open
    return answer
  }
}
