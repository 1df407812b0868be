import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets
@testable import SocketsRedis

/// Servers with a real Redis between them.
@Suite("A backplane over Redis", .workerPool, .enabled(if: RedisServer.isInstalled))
struct RedisBackplaneTests {
  @Test func `two servers are one room, for text and binary, without echoes`() async throws {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis)
    let (ann, heardByAnn) = await first.client()
    let (bob, heardByBob) = await second.client()
    for member in [first, second] { await member.presence.wait { $0 == 2 } }
    first.room.publish(.text("grüße"))
    first.room.publish(.binary(Data([0, 0x0D, 0x0A, 0xFF])))
    for recorder in [heardByAnn, heardByBob] {
      await recorder.log.wait { $0.messages.count == 2 }
      #expect(
        recorder.value.messages == [.text("grüße"), .binary(Data([0, 0x0D, 0x0A, 0xFF]))])
    }
    second.room.publish(.text("back"))
    for member in [first, second] {
      await member.heard.wait { $0 == ["grüße", "[0, 13, 10, 255]", "back"] }
    }
    bob.close()
    await first.presence.wait { $0 == 1 }
    ann.close()
    await second.presence.wait { $0 == 0 }
  }

  @Test(arguments: [RedisDelivery.publishSubscribe, .stream()])
  func `the messages of a thread keep their order`(delivery: RedisDelivery) async throws {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis, delivery)
    let count = 2_000
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<3 {
        group.addTask {
          for number in 0..<count { first.room.publish(.text("\(thread) \(number)")) }
        }
      }
    }
    await second.heard.wait { $0.count == 3 * count }
    for thread in 0..<3 {
      let own = second.heard.value.filter { $0.hasPrefix("\(thread) ") }
      #expect(own == (0..<count).map { "\(thread) \($0)" })
    }
    #expect(first.errors.value.isEmpty && second.errors.value.isEmpty)
  }

  @Test(arguments: [RedisDelivery.publishSubscribe, .stream()])
  func `a Redis that knows version 2 only is enough`(delivery: RedisDelivery) async throws {
    let redis = try RedisServer("--rename-command", "HELLO", "", "--requirepass", "secret")
    let url = redis.url.replacing("redis://", with: "redis://:secret@") + "/2"
    // A busy machine may delay the answer to a ping for a second.
    let first = try RoomMember(url, delivery) { $0.pingInterval = .seconds(2) }
    let second = try RoomMember(url, delivery)
    await RoomMember.meet(first, second)
    // Pings, too: also one that is not of the beginning.
    func pings() throws -> Int {
      let counts = try redis.command("-a", "secret", "INFO", "commandstats")
      return counts.firstMatch(of: /cmdstat_ping:calls=(\d+)/).flatMap { Int($0.1) } ?? 0
    }
    let atFirst = try pings()
    while try pings() == atFirst {}
    for number in 0..<5 {
      first.room.publish(.text("\(number)"))
      await second.heard.wait { $0.contains("\(number)") }
    }
    #expect(first.states.value.count { $0 == "connected" } == 1)
  }

  @Test func `a topic without interest is unsubscribed at Redis`() async throws {
    let redis = try RedisServer()
    let member = try RoomMember(redis.url)
    await member.waitUntilConnected()
    let other = member.server.topic("other").messages.subscribe()
    while try redis.command("PUBSUB", "CHANNELS", "*").contains("topic:other") == false {}
    other.dispose()
    while try redis.command("PUBSUB", "CHANNELS", "*").contains("topic:other") {}
    #expect(try redis.command("PUBSUB", "CHANNELS", "*") == "topic:room")
  }

  @Test func `a closed server leaves Redis`() async throws {
    let redis = try RedisServer()
    let member = try RoomMember(redis.url)
    await member.waitUntilConnected()
    member.server.close()
    while try redis.command("PUBSUB", "CHANNELS", "*") != "" {}
    while try redis.command("CLIENT", "LIST").split(separator: "\n").count > 1 {}
    #expect(member.states.value.last == "connected")
  }

  @Test func `hostile messages on a channel are errors, and the room goes on`() async throws {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis)
    try redis.command("PUBLISH", "topic:room", "garbage")
    try redis.command("PUBLISH", "topic:room", "")
    for member in [first, second] {
      await member.errors.wait { $0.count == 2 }
      guard case .malformed("room", .unknownVersion(0x67)) = member.errors.value[0] else {
        Issue.record("\(member.errors.value)")
        continue
      }
    }
    first.room.publish(.text("still here"))
    await second.heard.wait { $0.last == "still here" }
  }

  // MARK: Refusals

  @Test func `a wrong or missing password is its error, and is in none`() async throws {
    let redis = try RedisServer("--requirepass", "secret-1")
    let wrong = try RoomMember("redis://:secret-2@127.0.0.1:\(redis.port)")
    await wrong.states.wait { $0.contains("\(RedisError.wrongPassword)") }
    let missing = try RoomMember(redis.url)
    await missing.states.wait { $0.contains("\(RedisError.passwordRequired)") }
    let user = try RoomMember("redis://ann:secret-1@127.0.0.1:\(redis.port)")
    await user.states.wait { $0.contains("\(RedisError.wrongPassword)") }
    for member in [wrong, missing, user] {
      #expect(!member.states.value.contains { $0.contains("secret") })
    }
    // The password is set right while the server runs.
    while try redis.command("-a", "secret-1", "CONFIG", "SET", "requirepass", "secret-2")
      .contains("OK") == false
    {}
    await wrong.waitUntilConnected()
  }

  @Test func `another server is no Redis`() async throws {
    /// Greets as a mail server does.
    final class Greeter: TransportHandler {
      let transport: any Transport
      init(_ transport: any Transport) { self.transport = transport }
      func transportOpened() {
        Array("220 mail\r\n".utf8).withUnsafeBytes { _ = transport.write($0) }
      }
      func transportReceived(_ bytes: UnsafeRawBufferPointer) {}
      func transportWritable() {}
      func transportEnded() { transport.close() }
      func transportClosed(_ error: TransportError?) {}
    }
    let listener = try TCPListener()
    listener.listen(noteShortage: { _ in }) { connection in
      let transport = connection.transport(on: .shared)
      transport.start(Greeter(transport))
    }
    defer { listener.close() }
    let member = try RoomMember("redis://127.0.0.1:\(listener.port)")
    await member.states.wait { $0.contains("no Redis answered: 220 mail\r\n") }
  }

  @Test func `a server without Redis has its own topics`() async throws {
    let redis = try RedisServer()
    redis.stop()
    let member = try RoomMember(redis.url)
    await member.states.wait { $0.contains { $0.hasSuffix("refused the connection") } }
    let (_, recorder) = await member.client()
    #expect(member.room.publish(.text("alone")).sent == 1)
    await recorder.log.wait { $0.texts == ["alone"] }
    #expect(member.heard.value == ["alone"])
  }

  // MARK: Faults

  @Test(arguments: [RedisDelivery.publishSubscribe, .stream()])
  func `after a restart of Redis all topics are subscribed again`(delivery: RedisDelivery)
    async throws
  {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis, delivery)
    let (_, recorder) = await first.client()
    redis.stop()
    for member in [first, second] { await member.states.wait { $0.last != "connected" } }
    #expect(first.room.publish(.text("local")).sent == 1)
    await recorder.log.wait { $0.texts == ["local"] }
    try redis.start()
    for member in [first, second] { await member.waitUntilConnected() }
    // The message that has waited arrives before the next one.
    await RoomMember.meet(first, second)
    first.room.publish(.text("after"))
    await second.heard.wait { $0.last == "after" }
  }

  @Test func `a stopped Redis is noticed by its silence, and used again when it goes on`()
    async throws
  {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis) {
      $0.pingInterval = .milliseconds(200)
      $0.connectTimeout = .milliseconds(500)
    }
    redis.pause()
    let silent = "\(RedisError.unresponsive(after: .milliseconds(200)))"
    let late = "\(RedisError.connectTimedOut(after: .milliseconds(500)))"
    for member in [first, second] {
      await member.states.wait { $0.contains(silent) && $0.contains(late) }
    }
    let (_, recorder) = await first.client()
    #expect(first.room.publish(.text("local")).sent == 1)
    await recorder.log.wait { $0.texts == ["local"] }
    redis.resume()
    for member in [first, second] { await member.waitUntilConnected() }
    await RoomMember.meet(first, second)
  }

  @Test func `a slow Redis holds messages up to the limit, and the rest is counted`() async throws {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis) {
      $0.queueLimit = 1 << 20
      $0.pingInterval = .seconds(60)
    }
    let pad = String(repeating: "x", count: 1_000)
    redis.pause()
    for number in 0..<3_000 { first.room.publish(.text("\(number) \(pad)")) }
    #expect(first.heard.value.count == 3_000)
    await first.errors.wait { !$0.isEmpty }
    redis.resume()
    await second.heard.wait { $0.count > 500 }
    first.room.publish(.text("last"))
    await second.heard.wait { $0.last == "last" }
    // The report of the rest follows within a second.
    await first.errors.wait { $0.unpublishedCount + second.heard.value.count == 3_001 }
    #expect(first.unpublished.allSatisfy { $0 == .queueFull(limit: 1 << 20) })
    let numbers = second.heard.value.dropLast().compactMap { Int($0.prefix { $0 != " " }) }
    #expect(numbers == Array(0..<numbers.count))
  }
}
