import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Topics of servers with real connections.
@Suite("A topic", .workerPool)
struct WebSocketTopicTests {
  /// A server that subscribes each connection to the topic in its path, and publishes there what
  /// the connection sends.
  private final class RoomServer: Sendable {
    let server: WebSocketServer
    let sockets = Watched<[WebSocket]>([])
    private let bag = DisposeBag()

    init(
      _ backplane: (any Backplane)? = nil, loops: EventLoopCount = 1,
      compression: WebSocketCompression? = nil
    ) throws {
      var configuration = WebSocketConfiguration().onStoppedClock
      configuration.compression = compression
      server = try WebSocketServer(
        configuration: configuration, loops: loops, backplane: backplane)
      server.connections.subscribe(onNext: { [unowned server, sockets, bag] socket in
        let topic = server.topic(socket.request?.path ?? "")
        topic.subscribe(socket)
        socket.messages.subscribe(onNext: { topic.publish($0) }, onError: { _ in })
          .disposed(by: bag)
        sockets.update { $0.append(socket) }
      }).disposed(by: bag)
    }

    func topic(_ name: String) -> WebSocketTopic { server.topic(name) }

    /// A client that is subscribed.
    func client(
      in topic: String, _ configuration: WebSocketConfiguration = .init()
    ) async -> (WebSocket, SocketEventRecorder) {
      let before = sockets.value.count
      let (socket, recorder) = WebSocket.recorded(
        to: server.url + topic.dropFirst(), configuration)
      socket.connect()
      await recorder.waitUntilConnected()
      await sockets.wait { $0.count > before }
      return (socket, recorder)
    }
  }

  @Test func `what one client says is received by all of its room, and by no other`() async throws {
    let rooms = try RoomServer()
    let (ann, heardByAnn) = await rooms.client(in: "/a")
    let (bob, heardByBob) = await rooms.client(in: "/a")
    let (eve, heardByEve) = await rooms.client(in: "/b")
    #expect(rooms.topic("/a").count == 2)
    try ann.send("hello")
    try bob.send(Data([1, 2, 3]))
    for heard in [heardByAnn, heardByBob] {
      await heard.log.wait { $0.messages.count == 2 }
      #expect(Set(heard.value.messages) == [.text("hello"), .binary(Data([1, 2, 3]))])
    }
    #expect(rooms.topic("/b").publish(.text("only b")).sent == 1)
    await heardByEve.log.wait { $0.texts == ["only b"] }
    let remaining = Watched(3)
    let presence = [rooms.topic("/a").presence, rooms.topic("/b").presence]
    let observation = Observable.combineLatest(presence).map { $0.reduce(0, +) }
      .subscribe(onNext: { count in remaining.update { $0 = count } })
    for (socket, recorder) in [(ann, heardByAnn), (bob, heardByBob), (eve, heardByEve)] {
      socket.close()
      await recorder.waitUntilOver()
    }
    await remaining.wait { $0 == 0 }
    observation.dispose()
    #expect(rooms.server.topics.read { $0.topicCount } == 0)
  }

  @Test func `servers with a backplane are one room, also with compression`() async throws {
    let backplane = InMemoryBackplane()
    let first = try RoomServer(backplane)
    let second = try RoomServer(backplane, loops: 2, compression: .deflate())
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate()
    let (ann, heardByAnn) = await first.client(in: "/a")
    let heardByBob = await second.client(in: "/a", configuration).1
    let long = String(repeating: "all the same ", count: 100)
    try ann.send(long)
    for heard in [heardByAnn, heardByBob] { await heard.log.wait { $0.texts == [long] } }
    let presence = Watched<[Int]>([])
    let bag = DisposeBag()
    first.topic("/a").presence.subscribe(onNext: { count in presence.update { $0.append(count) } })
      .disposed(by: bag)
    await presence.wait { $0.last == 2 }
    // The topics of the other server go on.
    first.server.close()
    second.topic("/a").publish(.text("still here"))
    await heardByBob.log.wait { $0.texts == [long, "still here"] }
  }

  @Test func `two messages of one thread reach each subscriber in their order`() async throws {
    let backplane = InMemoryBackplane()
    let servers = [try RoomServer(backplane, loops: 2), try RoomServer(backplane, loops: 2)]
    var heard: [SocketEventRecorder] = []
    for server in servers + servers { heard.append(await server.client(in: "/a").1) }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<3 {
        group.addTask {
          for number in 0..<200 {
            servers[thread % 2].topic("/a").publish(.text("\(thread) \(number)"))
          }
        }
      }
    }
    for recorder in heard {
      await recorder.log.wait { $0.texts.count == 600 }
      for thread in 0..<3 {
        let own = recorder.value.texts.filter { $0.hasPrefix("\(thread) ") }
        #expect(own == (0..<200).map { "\(thread) \($0)" })
      }
    }
  }

  @Test func `a slow subscriber is skipped or closed, here and at another server`() async throws {
    let backplane = InMemoryBackplane()
    let (first, second) = (try RoomServer(backplane), try RoomServer(backplane))
    let peers = [
      await RawClient.upgraded(by: first.server), await RawClient.upgraded(by: second.server),
    ]
    await first.sockets.wait { $0.count == 1 }
    await second.sockets.wait { $0.count == 1 }
    for peer in peers { peer.transport.setReading(false) }
    let topic = first.topic("/chat")
    let payload = Data(repeating: 0x61, count: 1 << 20)
    var result = WebSocketBroadcast()
    for _ in 0..<100 where result.slow.isEmpty {
      result = topic.publish(.binary(payload), limit: 1 << 16)
    }
    #expect(result.slow.count == 1 && result.slow[0] === first.sockets.value[0])
    #expect(first.sockets.value[0].state == .connected)
    // The system takes some of it, of one connection more than of the other.
    let sockets = [first.sockets.value[0], second.sockets.value[0]]
    for _ in 0..<100 where sockets.contains(where: { $0.state == .connected }) {
      topic.publish(.binary(payload), limit: 1 << 16, slowClients: .closed)
    }
    #expect(sockets.allSatisfy { $0.state != .connected })
    for peer in peers { peer.transport.close() }
  }
}
