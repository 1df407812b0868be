import Foundation
import SocketsRedis
import TestSupport
import Testing

/// The examples of SocketsRedis.md and of ServingTopics.md.
@Suite("The article on Redis", .workerPool, .enabled(if: RedisServer.isInstalled))
struct RedisArticleTests {
  @Test func `the article's room is heard by another process`() async throws {
    let redis = try RedisServer()
    let (url, bag) = (redis.url, DisposeBag())
    let other = try RoomMember(url)
    await other.waitUntilConnected()

    let backplane = try RedisBackplane(url)
    let server = try WebSocketServer(backplane: backplane)
    server.connections.subscribe(onNext: { server.topic("room:7").subscribe($0) }).disposed(by: bag)
    server.topic("room:7").publish(.text("heard by all processes"))

    let heard = Watched<[String]>([])
    other.server.topic("room:7").messages
      .subscribe(onNext: { message in heard.update { $0.append(message.text ?? "") } })
      .disposed(by: bag)
    while heard.value.isEmpty {
      server.topic("room:7").publish(.text("again"))
      await EventLoop.shared.settle()
    }
  }

  @Test func `the article's configuration keeps messages`() async throws {
    let redis = try RedisServer()
    let url = redis.url

    var configuration = RedisConfiguration()
    configuration.delivery = .stream(maxLength: 1_000, retention: .seconds(3_600))
    let backplane = try RedisBackplane(url, configuration: configuration)

    let server = try WebSocketServer(backplane: backplane)
    server.topic("room:7").publish(.text("kept"))
    while try redis.command("XLEN", "topic:room:7") != "1" {}
  }

  @Test func `the article's public server is one with the others`() async throws {
    let redis = try RedisServer()
    let url = redis.url

    let server = try WebSocketServer(host: "", backplane: try RedisBackplane(url))

    let isConnected = Watched(false)
    let bag = DisposeBag()
    server.backplaneStates
      .subscribe(onNext: { state in isConnected.update { $0 = state.isConnected } })
      .disposed(by: bag)
    await isConnected.wait { $0 }
  }

  @Test(arguments: [RedisDelivery.publishSubscribe, .stream()])
  func `the article's permissions are enough`(delivery: RedisDelivery) async throws {
    let redis = try RedisServer()
    let rules = "+publish +subscribe +unsubscribe +ping +hello +select"
    let more = "+eval +xadd +xread +xrange +xrevrange +expire"
    let isKept = delivery != .publishSubscribe
    let arguments = "ACL SETUSER rooms on >password resetchannels &topic:* ~topic:* " + rules
    while try redis.command((isKept ? "\(arguments) \(more)" : arguments).split(separator: " "))
      != "OK"
    {}
    let url = redis.url.replacing("redis://", with: "redis://rooms:password@") + "/1"
    let (first, second) = (try RoomMember(url, delivery), try RoomMember(url, delivery))
    await RoomMember.meet(first, second)
    // Catching up, too.
    try redis.command("CLIENT", "KILL", "TYPE", "pubsub")
    for member in [first, second] {
      await member.states.wait { $0.count { $0 == "connected" } == 2 }
    }
    await RoomMember.meet(first, second)
    #expect(first.errors.value.unpublishedCount == 0)
  }
}
