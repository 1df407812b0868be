import Foundation
import TestSupport
import Testing

@testable import SocketsRedis

@Suite("The streams of topics", .workerPool)
struct RedisStreamsTests {
  private var streams = RedisStreams(prefix: "t:", origin: Data("me              ".utf8))

  private func words(_ command: RedisCommand?) -> String? {
    command?.arguments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  private func bytes(_ text: String) -> RESPValue { .bytes(Data(text.utf8)) }

  /// The bytes of a message, in the stream and behind the id of its entry.
  private func content(_ number: Int, from origin: String = "you") -> Data {
    let origin = Data(origin.utf8) + Data(repeating: 0x20, count: 16 - origin.utf8.count)
    return StreamMessage(
      origin: origin, number: UInt64(number), content: Data("m\(number)".utf8)
    ).bytes
  }

  private func entry(_ id: String, _ number: Int, from origin: String = "you") -> RESPValue {
    .array([bytes(id), .array([bytes("m"), .bytes(content(number, from: origin))])])
  }

  private func published(_ id: String, _ number: Int, from origin: String = "you") -> Data {
    Data("\(id) ".utf8) + content(number, from: origin)
  }

  private func answer(_ topic: String, _ entries: [RESPValue]) -> RESPValue {
    .map([bytes("t:" + topic), .array(entries)])
  }

  private func message(_ number: Int, _ topic: String = "a") -> RedisStreams.Delivery {
    .message(Data("m\(number)".utf8), topic: topic)
  }

  /// Streams with a topic that was subscribed behind the entry 5-0.
  private func located(_ id: String? = "5-0") -> RedisStreams {
    var streams = streams
    streams.add("a")
    #expect(words(streams.locate("a")) == "XREVRANGE t:a + - COUNT 1")
    #expect(streams.located("a", .array(id.map { [entry($0, 0)] } ?? [])).isEmpty)
    return streams
  }

  /// Streams whose topic is read from the entry 5-0 on, after a lost connection.
  private func catchingUp() -> RedisStreams {
    var streams = located()
    streams.disconnected()
    #expect(words(streams.locate("a")) == "XRANGE t:a 5-0 5-0 COUNT 1")
    #expect(streams.located("a", .array([entry("5-0", 0)])).isEmpty)
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:a 5-0")
    return streams
  }

  /// The same with a second topic, which has no entry before the loss.
  private func catchingUpWithTwoTopics() -> RedisStreams {
    var streams = located()
    streams.add("b")
    _ = streams.located("b", .array([]))
    streams.disconnected()
    _ = streams.located("b", .array([]))
    _ = streams.located("a", .array([entry("5-0", 0)]))
    return streams
  }

  @Test func `a connected process delivers what is published, without a read`() {
    var streams = located()
    #expect(streams.published(published("6-0", 1), to: "a") == message(1))
    #expect(streams.published(published("6-1", 2), to: "a") == message(2))
    #expect(streams.published(published("6-1", 3), to: "b") == nil)
    #expect(streams.nextRead() == nil)
  }

  @Test func `a message that is on its way when the last entry is located is delivered`() {
    var streams = located("7-0")
    #expect(streams.published(published("6-0", 1), to: "a") == message(1))
    #expect(streams.published(published("7-0", 2), to: "a") == message(2))
  }

  @Test func `after a lost connection a topic is read from its last message on`() {
    var streams = located()
    #expect(streams.published(published("6-3", 1), to: "a") == message(1))
    streams.disconnected()
    #expect(words(streams.locate("a")) == "XRANGE t:a 6-3 6-3 COUNT 1")
    #expect(streams.located("a", .array([entry("6-3", 1)])).isEmpty)
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:a 6-3")
    #expect(
      streams.received(answer("a", [entry("7-0", 2), entry("7-1", 3)])) == [message(2), message(3)])
    #expect(streams.nextRead() == nil)
    #expect(streams.published(published("8-0", 4), to: "a") == message(4))
  }

  @Test
  func `a topic without a message is read from where it was subscribed, or from the beginning`() {
    var streams = catchingUp()
    #expect(streams.received(.null).isEmpty)
    var empty = located(nil)
    empty.disconnected()
    #expect(empty.located("a", .array([])).isEmpty)
    #expect(words(empty.nextRead()) == "XREAD COUNT 64 STREAMS t:a 0-0")
    var early = self.streams
    early.add("a")
    early.disconnected()
    #expect(words(early.locate("a")) == "XREVRANGE t:a + - COUNT 1")
  }

  @Test func `what is published during a read is delivered once, behind what is read`() {
    var streams = catchingUp()
    // It may be behind the end of the read.
    #expect(streams.published(published("7-0", 2), to: "a") == nil)
    #expect(streams.published(published("7-1", 3), to: "a") == nil)
    #expect(
      streams.received(answer("a", [entry("6-0", 1), entry("7-0", 2)])) == [message(1), message(2)])
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:a 7-0")
    #expect(streams.received(answer("a", [entry("7-1", 3)])) == [message(3)])
    #expect(streams.nextRead() == nil)
    // It was read, and its publication was slower.
    #expect(streams.published(published("7-1", 3), to: "a") == nil)
    #expect(streams.published(published("7-2", 4), to: "a") == message(4))
  }

  @Test func `a full answer is followed by another read`() {
    var streams = catchingUp()
    let entries = (1...64).map { entry("6-\($0)", $0) }
    #expect(streams.received(answer("a", entries)).count == 64)
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:a 6-64")
  }

  @Test func `several topics are one read, which shares the number of entries`() {
    var streams = catchingUpWithTwoTopics()
    #expect(words(streams.nextRead()) == "XREAD COUNT 32 STREAMS t:b t:a 0-0 5-0")
    // Version 2 has pairs in place of a map.
    let pairs = RESPValue.array([
      .array([bytes("t:a"), .array([entry("6-0", 1)])]),
      .array([bytes("t:b"), .array([entry("1-0", 2)])]),
    ])
    #expect(streams.received(pairs) == [message(1), message(2, "b")])
  }

  @Test func `own messages and repeated ones are not delivered`() {
    var streams = catchingUp()
    let entries = [
      entry("6-0", 1), entry("6-1", 2), entry("6-2", 9, from: "me"), entry("6-3", 1),
      entry("6-4", 2), entry("6-5", 3), entry("6-6", 1, from: "third"),
    ]
    #expect(
      streams.received(answer("a", entries)) == [message(1), message(2), message(3), message(1)])
    #expect(streams.published(published("7-0", 3), to: "a") == nil)
    #expect(streams.published(published("7-1", 10, from: "me"), to: "a") == nil)
    #expect(streams.published(published("7-2", 4), to: "a") == message(4))
  }

  @Test func `without the last entry messages may be missing, and all that is left is read`() {
    var streams = located()
    _ = streams.published(published("6-0", 1), to: "a")
    streams.disconnected()
    #expect(streams.located("a", .array([])) == [.missing(topic: "a", .trimmed)])
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:a 0-0")
    // Another Redis, whose clock is behind.
    #expect(streams.received(answer("a", [entry("2-0", 7)])) == [message(7)])
    #expect(streams.published(published("2-1", 8), to: "a") == message(8))
  }

  @Test func `an error of a read is that of its topic, and the others are read`() {
    var streams = catchingUpWithTwoTopics()
    _ = streams.nextRead()
    let error = "WRONGTYPE Operation against a key holding the wrong kind of value"
    #expect(streams.received(.error(error)).isEmpty)
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:b 0-0")
    #expect(streams.received(.error(error)) == [.missing(topic: "b", .wrongType(error))])
    #expect(words(streams.nextRead()) == "XREAD COUNT 64 STREAMS t:a 5-0")
    #expect(streams.received(answer("a", [entry("6-0", 1)])) == [message(1)])
  }

  @Test func `what another program has written is reported, and reading continues behind it`() {
    var streams = catchingUp()
    let foreign = RESPValue.array([bytes("6-0"), .array([bytes("name"), bytes("value")])])
    let deliveries = streams.received(answer("a", [foreign, .integer(1), entry("6-1", 1)]))
    #expect(deliveries.count == 3 && deliveries[2] == message(1))
    let wrong = ["", "garbage", "1-1", "1-1 short", "x-1 "].map {
      streams.published(Data($0.utf8), to: "a")
    }
    // `1-1` is before what was read.
    let reported: [RedisStreams.Delivery?] = [
      deliveries[0], deliveries[1], wrong[0], wrong[1], wrong[2], wrong[4],
    ]
    for delivery in reported {
      guard case .missing("a", .malformedAnswer)? = delivery else {
        Issue.record("\(String(describing: delivery))")
        continue
      }
    }
    #expect(wrong[3] == nil)
    #expect(streams.published(published("7-0", 2), to: "a") == message(2))
  }

  @Test func `a topic that is unsubscribed during a read delivers nothing`() {
    var streams = catchingUp()
    streams.remove("a")
    #expect(streams.received(answer("a", [entry("6-0", 1)])).isEmpty)
    #expect(streams.locate("a") == nil)
  }

  @Test func `an id is compared by its numbers`() throws {
    let ids = try ["9-9", "10-2", "10-10"].map { try #require(StreamID($0)) }
    #expect(ids == ids.sorted() && ids.map { "\($0)" } == ["9-9", "10-2", "10-10"])
    for text in ["", "1", "1-", "-1", "1-2-3", "a-1", "1-18446744073709551616"] {
      #expect(StreamID(text) == nil)
    }
  }
}
