import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets
@testable import SocketsRedis

/// Servers whose messages a real Redis keeps.
@Suite("Streams over Redis", .workerPool, .enabled(if: RedisServer.isInstalled))
struct RedisStreamingTests {
  @Test func `nothing is lost and nothing is received twice while connections are killed`()
    async throws
  {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis, .stream(maxLength: 10_000))
    let count = 3_000
    var kills = 0
    for number in 0..<count {
      first.room.publish(.text("\(number)"))
      // The connections for subscriptions, or for commands, of both.
      guard let kind = [250: "pubsub", 400: "normal"][number % 500] else { continue }
      kills += 1
      for member in [first, second] {
        await member.states.wait { [kills] in $0.count { $0 == "connected" } == kills }
      }
      try redis.command("CLIENT", "KILL", "TYPE", kind)
    }
    await second.heard.wait { $0.count >= count }
    for member in [first, second] {
      await member.states.wait { $0.count { $0 == "connected" } == 13 }
    }
    first.room.publish(.text("end"))
    await second.heard.wait { $0.last == "end" }
    #expect(second.heard.value == (0..<count).map(String.init) + ["end"])
    #expect(first.errors.value.isEmpty && second.errors.value.isEmpty)
  }

  @Test func `nothing is lost while a Redis that writes to disk is killed and started again`()
    async throws
  {
    let redis = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
    let (first, second) = try await RoomMember.pair(redis, .stream(maxLength: 10_000))
    let count = 600
    for number in 0..<count {
      first.room.publish(.text("\(number)"))
      second.room.publish(.text("back \(number)"))
      if number == 200 { redis.stop() }
      if number == 400 {
        for member in [first, second] { await member.states.wait { $0.last != "connected" } }
        try redis.start()
      }
    }
    first.room.publish(.text("end"))
    second.room.publish(.text("back end"))
    await second.heard.wait { $0.contains("end") }
    await first.heard.wait { $0.contains("back end") }
    let there = second.heard.value.filter { !$0.hasPrefix("back") }
    #expect(there == (0..<count).map { "\($0)" } + ["end"])
    let back = first.heard.value.filter { $0.hasPrefix("back") }
    #expect(back == (0..<count).map { "back \($0)" } + ["back end"])
    #expect(first.errors.value.isEmpty && second.errors.value.isEmpty)
  }

  @Test func `a process that was away receives what it has missed, once and in order`() async throws
  {
    let redis = try RedisServer()
    let proxy = try StallingProxy(to: redis.port)
    defer { proxy.close() }
    let first = try RoomMember(redis.url, .stream(maxLength: 1_000))
    let second = try RoomMember("redis://127.0.0.1:\(proxy.port)", .stream(maxLength: 1_000)) {
      $0.pingInterval = .milliseconds(100)
      $0.connectTimeout = .milliseconds(300)
    }
    await RoomMember.meet(first, second)
    proxy.forward(.nothing)
    let silent = "\(RedisError.unresponsive(after: .milliseconds(100)))"
    await second.states.wait { $0.contains(silent) }
    for number in 0..<1_000 { first.room.publish(.text("\(number)")) }
    #expect(second.heard.value.isEmpty)
    proxy.cut()
    proxy.forward(.all)
    await second.heard.wait { $0.count == 1_000 }
    first.room.publish(.text("now"))
    await second.heard.wait { $0.last == "now" }
    #expect(second.heard.value == (0..<1_000).map(String.init) + ["now"])
    #expect(second.errors.value.isEmpty)
  }

  @Test func `messages that a process has missed for good are reported`() async throws {
    let redis = try RedisServer()
    let proxy = try StallingProxy(to: redis.port)
    defer { proxy.close() }
    let first = try RoomMember(redis.url, .stream(maxLength: 10))
    let second = try RoomMember("redis://127.0.0.1:\(proxy.port)", .stream(maxLength: 10)) {
      $0.pingInterval = .milliseconds(100)
      $0.connectTimeout = .milliseconds(300)
    }
    await RoomMember.meet(first, second)
    proxy.forward(.nothing)
    await second.states.wait { $0.last != "connected" }
    for number in 0..<1_000 { first.room.publish(.text("\(number)")) }
    // The stream has the last one before the other process reads.
    while try redis.command("XREVRANGE", "topic:room", "+", "-", "COUNT", "1").hasSuffix("999")
      == false
    {}
    proxy.cut()
    proxy.forward(.all)
    await second.heard.wait { $0.last == "999" }
    // The last ten at least, without a gap.
    let heard = second.heard.value.compactMap(Int.init)
    #expect(heard.count >= 10 && heard.count < 1_000)
    #expect(heard == Array((1_000 - heard.count)..<1_000))
    await second.errors.wait { errors in
      errors.contains {
        if case .notReceived("room", RedisError.trimmed) = $0 { true } else { false }
      }
    }
  }

  @Test func `a Redis whose memory is full refuses with its error, and the room goes on`()
    async throws
  {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis, .stream())
    try redis.command("CONFIG", "SET", "maxmemory", "1mb")
    first.room.publish(.text("local"))
    await first.errors.wait { $0.unpublishedCount == 1 }
    #expect(first.unpublished == [.outOfMemory])
    #expect(first.heard.value == ["local"])
    #expect(first.states.value.last == "connected")
    try redis.command("CONFIG", "SET", "maxmemory", "0")
    first.room.publish(.text("again"))
    await second.heard.wait { $0 == ["again"] }
  }

  @Test func `without streams a full memory of Redis does not matter`() async throws {
    let redis = try RedisServer()
    let (first, second) = try await RoomMember.pair(redis)
    try redis.command("CONFIG", "SET", "maxmemory", "1mb")
    first.room.publish(.text("hi"))
    await second.heard.wait { $0 == ["hi"] }
    #expect(first.errors.value.isEmpty)
  }

  @Test func `a key of another program is an error that names the cause`() async throws {
    let redis = try RedisServer()
    let member = try RoomMember(redis.url, .stream())
    await member.waitUntilConnected()
    try redis.command("DEL", "topic:room")
    try redis.command("SET", "topic:room", "value")
    member.room.publish(.text("hi"))
    await member.errors.wait { $0.unpublishedCount == 1 }
    guard case .wrongType? = member.unpublished.first else {
      Issue.record("\(member.errors.value)")
      return
    }
  }

  @Test func `the stream of a silent topic is deleted after its retention`() async throws {
    let redis = try RedisServer()
    let member = try RoomMember(redis.url, .stream(retention: .seconds(7_200)))
    await member.waitUntilConnected()
    member.room.publish(.text("hi"))
    while try redis.command("XLEN", "topic:room") == "0" {}
    let seconds = Int(try redis.command("TTL", "topic:room")) ?? 0
    #expect(seconds > 7_100 && seconds <= 7_200)
  }
}
