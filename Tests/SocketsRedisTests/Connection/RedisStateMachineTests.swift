import Foundation
import Reactive
import Sockets
import TestSupport
import Testing

@testable import SocketsRedis

@Suite("The decisions of a connection to Redis", .workerPool)
struct RedisStateMachineTests {
  /// A machine whose outputs are recorded as text.
  private struct Harness {
    var machine: RedisStateMachine
    var now = Duration.zero
    private static let hello = RESPValue.map([.text("proto"), .integer(3)])

    init(
      _ delivery: RedisDelivery = .publishSubscribe,
      _ change: (inout RedisConfiguration) -> Void = { _ in }
    ) throws {
      var configuration = RedisConfiguration()
      configuration.delivery = delivery
      change(&configuration)
      let url = try RedisURL("redis://localhost")
      machine = RedisStateMachine(url, configuration, origin: Data("me--------------".utf8))
    }

    /// The outputs since the last time.
    mutating func take() -> [String] {
      machine.takeOutputs().map { output in
        switch output {
        case .open(let attempt): return "open \(attempt)"
        case .send(let bytes, let role):
          let words = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            .filter { !$0.hasPrefix("*") && !$0.hasPrefix("$") }
          return "\(role == .commands ? ">" : "s>") \(words.joined(separator: " "))"
        case .drop: return "drop"
        case .close: return "close"
        case .retry(let attempt, let number): return "retry \(attempt) \(number)"
        case .wait(.connection(let attempt), let time): return "connect \(attempt) in \(time)"
        case .wait(.ping(let attempt), let time): return "ping \(attempt) in \(time)"
        case .wait(.report, let time): return "report in \(time)"
        case .emit(.state(.connecting)): return "connecting"
        case .emit(.state(.connected)): return "connected"
        case .emit(.state(.disconnected(let error))): return "disconnected: \(error)"
        case .emit(.message(let bytes, let topic)):
          return "\(topic): \(String(decoding: bytes, as: UTF8.self))"
        case .emit(.failed(let error)): return "failed: \(error)"
        }
      }
    }

    mutating func receive(_ values: RESPValue..., on role: RedisStateMachine.Role = .commands) {
      machine.received(values, on: role, of: machine.attempt, at: now)
    }

    mutating func open() {
      for role in RedisStateMachine.Role.allCases {
        machine.opened(role, of: machine.attempt)
        machine.received([Self.hello], on: role, of: machine.attempt, at: now)
      }
      machine.received([.text("PONG")], on: .subscriptions, of: machine.attempt, at: now)
    }

    mutating func fail(_ error: RedisError = .closed) {
      machine.failed(error, of: machine.attempt, at: now)
    }

    static func message(_ text: String, _ topic: String) -> RESPValue {
      .push([.text("message"), .text("topic:" + topic), .bytes(Data(text.utf8))])
    }
  }

  private func opened(
    _ delivery: RedisDelivery = .publishSubscribe,
    _ change: (inout RedisConfiguration) -> Void = { _ in }
  ) throws -> Harness {
    var harness = try Harness(delivery, change)
    harness.machine.connect()
    harness.open()
    _ = harness.take()
    return harness
  }

  @Test func `it is connected when both connections are open and all topics are confirmed`() throws
  {
    var harness = try Harness()
    harness.machine.subscribe(to: "b")
    harness.machine.connect()
    #expect(harness.take() == ["connecting", "open 1", "connect 1 in 5.0 seconds"])
    harness.machine.subscribe(to: "a")
    harness.machine.publish(Data("early".utf8), to: "a")
    harness.machine.opened(.commands, of: 1)
    harness.receive(.map([]))
    #expect(harness.take() == ["> HELLO 3"])
    harness.machine.opened(.subscriptions, of: 1)
    harness.receive(.map([]), on: .subscriptions)
    #expect(harness.take() == ["s> HELLO 3 SUBSCRIBE topic:a topic:b PING"])
    harness.machine.subscribe(to: "c")
    #expect(harness.take() == ["s> SUBSCRIBE topic:c"])
    harness.receive(.text("PONG"), on: .subscriptions)
    #expect(
      harness.take() == ["connected", "ping 1 in 5.0 seconds", "> PUBLISH topic:a early"])
  }

  @Test func `topics are subscribed and unsubscribed as they change, once each`() throws {
    var harness = try opened()
    harness.machine.subscribe(to: "a")
    harness.machine.subscribe(to: "a")
    harness.machine.unsubscribe(from: "b")
    #expect(harness.take() == ["s> SUBSCRIBE topic:a"])
    harness.receive(Harness.message("hi", "a"), Harness.message("no", "b"), on: .subscriptions)
    // Version 2 has an array in place of a push.
    harness.receive(
      .array([.text("message"), .text("topic:a"), .bytes(Data("old".utf8))]), on: .subscriptions)
    #expect(harness.take() == ["a: hi", "a: old"])
    harness.machine.unsubscribe(from: "a")
    harness.receive(Harness.message("late", "a"), on: .subscriptions)
    #expect(harness.take() == ["s> UNSUBSCRIBE topic:a"])
  }

  @Test func `after a failure it tries again with growing delays, and subscribes again`() throws {
    var harness = try opened()
    harness.machine.subscribe(to: "a")
    _ = harness.take()
    harness.fail()
    #expect(
      harness.take() == ["drop", "disconnected: Redis closed the connection", "retry 1 0"])
    // The second connection of the same attempt.
    harness.fail()
    #expect(harness.take() == [])
    harness.machine.retry(1)
    harness.fail(.transport(.refused(address: "127.0.0.1:6379")))
    #expect(
      harness.take() == [
        "open 2", "connect 2 in 5.0 seconds", "drop",
        "disconnected: Redis: 127.0.0.1:6379 refused the connection", "retry 2 1",
      ])
    harness.machine.retry(2)
    harness.open()
    #expect(
      harness.take() == [
        "open 3", "connect 3 in 5.0 seconds", "s> HELLO 3", "> HELLO 3",
        "s> SUBSCRIBE topic:a PING", "connected", "ping 3 in 5.0 seconds",
      ])
    // The connection was short: the delays go on growing.
    harness.now = .seconds(4)
    harness.fail()
    #expect(harness.take().last == "retry 3 2")
    harness.machine.retry(3)
    harness.open()
    harness.now = .seconds(9)
    harness.fail()
    #expect(harness.take().last == "retry 4 0")
  }

  @Test func `an attempt has a deadline`() throws {
    var harness = try Harness()
    harness.machine.connect()
    harness.machine.passed(.connection(attempt: 1), at: .seconds(5))
    #expect(
      harness.take().suffix(3) == [
        "drop", "disconnected: Redis was not connected within 5.0 seconds", "retry 1 0",
      ])
    var open = try opened()
    open.machine.passed(.connection(attempt: 1), at: .seconds(5))
    #expect(open.take() == [])
  }

  @Test func `a Redis that answers no ping is given up, on either connection`() throws {
    for silent in RedisStateMachine.Role.allCases {
      var harness = try opened()
      harness.machine.passed(.ping(attempt: 1), at: .seconds(5))
      #expect(harness.take() == ["s> PING", "> PING", "ping 1 in 5.0 seconds"])
      for role in RedisStateMachine.Role.allCases where role != silent {
        // Any byte is a sign of life.
        harness.machine.received([], on: role, of: 1, at: .seconds(6))
      }
      harness.machine.passed(.ping(attempt: 1), at: .seconds(10))
      #expect(
        harness.take() == [
          "drop", "disconnected: Redis answered nothing for 5.0 seconds", "retry 1 0",
        ])
    }
  }

  @Test func `a wrong password is an error, and is tried again`() throws {
    var harness = try Harness()
    harness.machine.connect()
    harness.machine.opened(.commands, of: 1)
    _ = harness.take()
    harness.receive(.error("WRONGPASS invalid username-password pair or user is disabled."))
    #expect(
      harness.take() == ["drop", "disconnected: Redis refused user or password", "retry 1 0"])
  }

  // MARK: Losses

  @Test func `messages wait for a connection up to the limit, and the rest is counted`() throws {
    var harness = try Harness { $0.queueLimit = 3 * 70 }
    harness.machine.connect()
    _ = harness.take()
    for number in 1...10 { harness.machine.publish(Data("m\(number)".utf8), to: "abcd") }
    #expect(
      harness.take() == [
        "failed: 1 messages may not have reached other processes: "
          + "more than 210 bytes wait for Redis", "report in 1.0 seconds",
      ])
    harness.machine.passed(.report, at: .seconds(1))
    #expect(harness.take()[0].hasPrefix("failed: 6 messages may not"))
    harness.machine.passed(.report, at: .seconds(2))
    #expect(harness.take() == [])
    harness.open()
    #expect(
      harness.take().last
        == "> PUBLISH topic:abcd m1 PUBLISH topic:abcd m2 PUBLISH topic:abcd m3")
    for _ in 0..<3 { harness.receive(.integer(1)) }
    #expect(harness.machine.heldBytes == 0)
    harness.machine.publish(Data("m11".utf8), to: "abcd")
    #expect(harness.take() == ["> PUBLISH topic:abcd m11"])
  }

  @Test func `messages without an answer are possibly lost with the connection`() throws {
    var harness = try opened()
    for text in ["a", "b", "c"] { harness.machine.publish(Data(text.utf8), to: "t") }
    harness.receive(.integer(1))
    _ = harness.take()
    harness.fail()
    #expect(
      harness.take()[0]
        == "failed: 2 messages may not have reached other processes: Redis closed the connection")
    #expect(harness.machine.heldBytes == 0)
  }

  @Test func `a message that is too long, or is refused, is lost for a reason`() throws {
    var harness = try opened { $0.messageLimit = 4 }
    harness.machine.publish(Data("12345".utf8), to: "t")
    #expect(
      harness.take()[0]
        == "failed: 1 messages may not have reached other processes: "
        + "a message of 5 bytes exceeds the limit of 4")
    harness.machine.passed(.report, at: .seconds(1))
    harness.machine.publish(Data("1234".utf8), to: "t")
    harness.receive(.error("NOPERM this user has no permissions"))
    #expect(harness.take().contains { $0.contains("NOPERM") })
  }

  @Test func `an answer without a question ends the connection`() throws {
    var harness = try opened()
    harness.receive(.integer(1))
    #expect(
      harness.take()[1] == "disconnected: a malformed answer of Redis: unexpected 1")
    var other = try opened()
    other.receive(.integer(1), on: .subscriptions)
    #expect(other.take()[1] == "disconnected: a malformed answer of Redis: unexpected 1")
    var denied = try opened()
    denied.receive(.error("NOPERM no channel"), on: .subscriptions)
    #expect(denied.take()[1] == "disconnected: Redis permits this not: NOPERM no channel")
  }

  @Test func `closed, it sends and reports nothing more`() throws {
    var harness = try opened()
    harness.machine.publish(Data("last".utf8), to: "t")
    harness.machine.close()
    #expect(harness.take() == ["> PUBLISH topic:t last", "close"])
    harness.machine.close()
    harness.machine.publish(Data("x".utf8), to: "t")
    harness.machine.subscribe(to: "t")
    harness.receive(.integer(1))
    harness.fail()
    harness.machine.retry(1)
    harness.machine.passed(.ping(attempt: 1), at: .seconds(5))
    #expect(harness.take() == [])
  }

  // MARK: Streams

  @Test func `with streams a script adds a message and publishes it with its id`() throws {
    var harness = try opened(.stream(maxLength: 10, retention: .seconds(60)))
    harness.machine.publish(Data("hi".utf8), to: "t")
    let sent = harness.take()
    #expect(sent.count == 1 && sent[0].hasPrefix("> EVAL local id = redis.call('XADD', KEYS[1], "))
    #expect(sent[0].hasSuffix(" 1 topic:t me--------------\0\0\0\0\0\0\0\u{1}hi 11 60"))
  }

  @Test func `a transient message is published only, and its loss is not reported`() throws {
    var plain = try opened()
    plain.machine.publish(Data("3".utf8), to: "t", isTransient: true)
    #expect(plain.take() == ["> PUBLISH topic:t 3"])
    plain.fail()
    #expect(plain.take()[0] == "drop")
    var harness = try opened(.stream())
    harness.machine.subscribe(to: "t")
    harness.receive(.array([]))
    _ = harness.take()
    harness.machine.publish(Data("3".utf8), to: "t", isTransient: true)
    #expect(harness.take() == ["> PUBLISH topic:t - 3"])
    harness.receive(.error("NOPERM"))
    #expect(harness.take() == [])
    harness.receive(
      .push([.text("message"), .text("topic:t"), .bytes(Data("- 4".utf8))]), on: .subscriptions)
    #expect(harness.take() == ["t: 4"])
    #expect(harness.machine.heldBytes == 0)
  }

  @Test func `with streams a message is read after a lost connection`() throws {
    var harness = try opened(.stream())
    harness.machine.subscribe(to: "t")
    #expect(harness.take() == ["s> SUBSCRIBE topic:t", "> XREVRANGE topic:t + - COUNT 1"])
    harness.receive(.array([]))
    #expect(harness.take() == [])
    let message = StreamMessage(
      origin: Data(repeating: 1, count: 16), number: 1, content: Data("hi".utf8)
    ).bytes
    harness.receive(
      .push([.text("message"), .text("topic:t"), .bytes(Data("1-1 ".utf8) + message)]),
      on: .subscriptions)
    #expect(harness.take() == ["t: hi"])
    harness.fail()
    harness.machine.retry(1)
    harness.open()
    #expect(harness.take().last == "> XRANGE topic:t 1-1 1-1 COUNT 1")
    harness.receive(.array([.array([])]))
    #expect(harness.take() == ["> XREAD COUNT 64 STREAMS topic:t 1-1"])
    let next = StreamMessage(
      origin: Data(repeating: 1, count: 16), number: 2, content: Data("there".utf8)
    ).bytes
    harness.receive(
      .map([
        .text("topic:t"),
        .array([.array([.text("1-2"), .array([.text("m"), .bytes(next)])])]),
      ]))
    #expect(harness.take() == ["t: there"])
  }

  @Test func `with streams the messages without an answer are repeated, in their order`() throws {
    var harness = try opened(.stream())
    for text in ["a", "b", "c"] { harness.machine.publish(Data(text.utf8), to: "t") }
    harness.receive(.integer(1))
    harness.machine.subscribe(to: "t")
    _ = harness.take()
    harness.receive(.error("READONLY You can't write against a read only replica."))
    let failure = harness.take()
    #expect(failure[1].hasPrefix("disconnected: Redis refused: READONLY") && failure.count == 3)
    harness.machine.publish(Data("d".utf8), to: "t")
    harness.machine.retry(1)
    harness.open()
    let sent = harness.take().joined(separator: " ")
    let order = ["a", "b", "c", "d"].enumerated().map { index, text in
      let number = String(decoding: [0, 0, UInt8(index + 1)], as: UTF8.self)
      return sent.firstRange(of: "\(number)\(text) ")?.lowerBound
    }
    let repeated = order.dropFirst().compactMap(\.self)
    #expect(order[0] == nil && repeated.count == 3 && repeated == repeated.sorted())
  }

  @Test func `a full memory loses the message, and the topics go on`() throws {
    var harness = try opened(.stream())
    harness.machine.publish(Data("a".utf8), to: "t")
    _ = harness.take()
    harness.receive(.error("OOM command not allowed when used memory > 'maxmemory'."))
    #expect(
      harness.take()[0]
        == "failed: 1 messages may not have reached other processes: the memory of Redis is full")
    #expect(harness.machine.heldBytes == 0)
  }
}
