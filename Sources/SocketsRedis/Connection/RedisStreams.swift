import Sockets

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which messages of the topics' streams this process has.
///
/// A script adds a message to the stream and publishes it with the id of its entry, in one step. So
/// a connected process needs no reads, and all processes have one order.
///
///     live:         published messages are delivered, and their ids noted
///     disconnected: what follows the last id is missing
///     catching up:  the stream is read from the last id on; what is published meanwhile is in the
///                   stream, and is read with the rest
struct RedisStreams {
  /// A message, or the reason why some are missing.
  enum Delivery: Equatable {
    case message(Data, topic: String)
    case missing(topic: String, RedisError)
  }

  private enum Progress: Equatable {
    case live
    /// - Parameter isDue: whether another read is needed
    case catchingUp(isDue: Bool)
  }

  private struct Position {
    /// The last entry that this process has; nil before the first one.
    var id: StreamID?
    /// The last entry before the subscription; nil until it is located.
    var start: StreamID?
    var progress = Progress.live
    /// The last number of each process, by which repeated messages are recognized.
    var numbers: [Data: UInt64] = [:]
  }

  private let prefix: String
  private let origin: Data
  private var positions: [String: Position] = [:]
  /// The topics that wait for a read, some of them possibly gone.
  private var due = Fifo<String>()
  /// The topics that are being read.
  private var reading: [String] = []
  /// One after an error, to find the topic that causes it.
  private var topicsInRead = RedisStreams.mostTopics

  /// The most entries of a read, so that the answer has at most so many messages of the limit.
  static var mostEntries: Int { 64 }
  private static var mostTopics: Int { 16 }
  private static var originLimit: Int { 1_024 }

  init(prefix: String, origin: Data) {
    (self.prefix, self.origin) = (prefix, origin)
  }

  mutating func add(_ topic: String) { positions[topic] = Position() }

  mutating func remove(_ topic: String) { positions[topic] = nil }

  /// The connection has ended: messages may be missing behind the last ids.
  mutating func disconnected() {
    reading = []
    due = Fifo()
    for (topic, position) in positions {
      guard let id = position.id ?? position.start else { continue }
      positions[topic]?.id = id
      positions[topic]?.progress = .catchingUp(isDue: false)
    }
  }

  // MARK: Asking

  /// The command that finds the last entry of a topic that is subscribed, or whether the last one
  /// that this process has is still there; nil for an unknown topic.
  func locate(_ topic: String) -> RedisCommand? {
    guard let position = positions[topic] else { return nil }
    let key = prefix + topic
    guard case .catchingUp = position.progress, let id = position.id else {
      return RedisCommand("XREVRANGE", key, "+", "-", "COUNT", "1")
    }
    return RedisCommand("XRANGE", key, "\(id)", "\(id)", "COUNT", "1")
  }

  /// The next read; nil while one is in progress and when nothing is due.
  mutating func nextRead() -> RedisCommand? {
    guard reading.isEmpty else { return nil }
    while reading.count < topicsInRead, let topic = due.popFirst() {
      guard positions[topic]?.progress == .catchingUp(isDue: true) else { continue }
      positions[topic]?.progress = .catchingUp(isDue: false)
      reading.append(topic)
    }
    if reading.isEmpty { return nil }
    var command = RedisCommand("XREAD", "COUNT", "\(entriesOfEach)", "STREAMS")
    command.arguments += reading.map { Data((prefix + $0).utf8) }
    command.arguments += reading.map { Data("\(positions[$0]?.id ?? .beginning)".utf8) }
    return command
  }

  private var entriesOfEach: Int { max(1, Self.mostEntries / max(1, reading.count)) }

  private mutating func requestRead(_ topic: String) {
    guard positions[topic]?.progress == .catchingUp(isDue: false) else { return }
    positions[topic]?.progress = .catchingUp(isDue: true)
    due.append(topic)
  }

  // MARK: Answers

  /// Handles the answer to `locate`.
  mutating func located(_ topic: String, _ reply: RESPValue) -> [Delivery] {
    guard let position = positions[topic] else { return [] }
    if case .error(let text) = reply { return [.missing(topic: topic, RedisError(reply: text))] }
    guard let entries = reply.elements else { return [Self.unexpected(reply, topic)] }
    guard case .catchingUp = position.progress else {
      let last = entries.first?.elements?.first?.string.flatMap { StreamID($0) } ?? .beginning
      // Not the id: messages up to this one may still be on their way.
      positions[topic]?.start = last
      return []
    }
    requestRead(topic)
    guard entries.isEmpty, position.id != .beginning else { return [] }
    // All that is left is newer, or this is another Redis, whose clock may be behind.
    positions[topic]?.id = .beginning
    return [.missing(topic: topic, .trimmed)]
  }

  /// Handles a published message, which has the id of its entry in front.
  mutating func published(_ bytes: Data, to topic: String) -> Delivery? {
    guard let position = positions[topic] else { return nil }
    if let content = StreamMessage.transientContent(bytes) {
      return .message(content, topic: topic)
    }
    guard position.progress == .live else {
      requestRead(topic)
      return nil
    }
    guard let end = bytes.firstIndex(of: 0x20),
      let id = StreamID(String(decoding: bytes[..<end], as: UTF8.self))
    else { return Self.unexpected(.bytes(bytes), topic) }
    // It was in the last read.
    if let last = position.id, id <= last { return nil }
    return take(bytes[bytes.index(after: end)...], id, of: topic)
  }

  /// Handles the answer to a read, and returns the messages of other processes in their order.
  mutating func received(_ reply: RESPValue) -> [Delivery] {
    let (topics, most) = (reading, entriesOfEach)
    reading = []
    if case .error(let text) = reply { return readFailed(topics, RedisError(reply: text)) }
    guard let streams = reply == .null ? [] : reply.elements else {
      return topics.flatMap { readFailed([$0], .malformedAnswer(.unexpected(reply.summary))) }
    }
    var deliveries: [Delivery] = []
    for stream in streams {
      guard let parts = stream.elements, parts.count == 2, let key = parts[0].string,
        key.hasPrefix(prefix), let entries = parts[1].elements
      else { continue }
      let topic = String(key.dropFirst(prefix.count))
      // The topic may have been unsubscribed meanwhile.
      guard positions[topic] != nil else { continue }
      for entry in entries {
        if let delivery = read(entry, of: topic) { deliveries.append(delivery) }
      }
      if entries.count >= most { requestRead(topic) }
    }
    // Nothing was published since the read was sent.
    for topic in topics where positions[topic]?.progress == .catchingUp(isDue: false) {
      positions[topic]?.progress = .live
    }
    return deliveries
  }

  /// Reads several topics one by one; gives up what one topic is missing.
  private mutating func readFailed(_ topics: [String], _ error: RedisError) -> [Delivery] {
    if let topic = topics.first, topics.count == 1 {
      positions[topic]?.progress = .live
      return [.missing(topic: topic, error)]
    }
    topicsInRead = 1
    for topic in topics { requestRead(topic) }
    return []
  }

  /// Reads an entry: its id, and a list of one name and its value.
  private mutating func read(_ entry: RESPValue, of topic: String) -> Delivery? {
    guard let parts = entry.elements, parts.count == 2,
      let id = parts[0].string.flatMap({ StreamID($0) })
    else { return Self.unexpected(entry, topic) }
    guard let fields = parts[1].elements, fields.count == 2, let bytes = fields[1].data else {
      positions[topic]?.id = id
      return Self.unexpected(entry, topic)
    }
    return take(bytes, id, of: topic)
  }

  /// Takes the message of an entry, unless it is an own or repeated one.
  private mutating func take(_ bytes: Data, _ id: StreamID, of topic: String) -> Delivery? {
    positions[topic]?.id = id
    guard let message = StreamMessage(bytes) else {
      return Self.unexpected(.bytes(bytes), topic)
    }
    guard message.origin != origin, isNew(message, topic) else { return nil }
    return .message(message.content, topic: topic)
  }

  /// Whether a message is none that its process has repeated after a lost connection.
  ///
  /// A process writes its messages in the order of their numbers, also when it repeats some.
  private mutating func isNew(_ message: StreamMessage, _ topic: String) -> Bool {
    if let last = positions[topic]?.numbers[message.origin], message.number <= last {
      return false
    }
    // So many processes have come and gone that those which repeat something are hardly among them.
    if positions[topic]?.numbers.count ?? 0 >= Self.originLimit { positions[topic]?.numbers = [:] }
    positions[topic]?.numbers[message.origin] = message.number
    return true
  }

  private static func unexpected(_ value: RESPValue, _ topic: String) -> Delivery {
    .missing(topic: topic, .malformedAnswer(.unexpected(value.summary)))
  }
}

/// A message in a stream: 16 bytes of its process, 8 of its number, its content.
struct StreamMessage {
  let origin: Data
  let number: UInt64
  let content: Data

  init(origin: Data, number: UInt64, content: Data) {
    (self.origin, self.number, self.content) = (origin, number, content)
  }

  init?(_ bytes: Data) {
    guard bytes.count >= 24 else { return nil }
    origin = Data(bytes.prefix(16))
    number = bytes.dropFirst(16).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    content = Data(bytes.dropFirst(24))
  }

  /// The form of a message that is published only: a hyphen stands for the id of an entry.
  static func transient(_ content: Data) -> Data { transientPrefix + content }

  /// The content of a message that is published only; nil for others.
  static func transientContent(_ bytes: Data) -> Data? {
    bytes.starts(with: transientPrefix) ? Data(bytes.dropFirst(transientPrefix.count)) : nil
  }

  private static let transientPrefix = Data("- ".utf8)

  var bytes: Data {
    let number = (0..<8).map { UInt8(truncatingIfNeeded: self.number >> (56 - 8 * $0)) }
    return origin + number + content
  }
}

/// The id of an entry of a stream, which grows: milliseconds and a number.
struct StreamID: Hashable, Comparable, Sendable {
  let time: UInt64
  let number: UInt64

  /// Before all entries.
  static let beginning = StreamID(time: 0, number: 0)

  init(time: UInt64, number: UInt64) { (self.time, self.number) = (time, number) }

  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let time = UInt64(parts[0]), let number = UInt64(parts[1]) else {
      return nil
    }
    self.init(time: time, number: number)
  }

  static func < (first: Self, second: Self) -> Bool {
    (first.time, first.number) < (second.time, second.number)
  }
}

extension StreamID: CustomStringConvertible {
  var description: String { "\(time)-\(number)" }
}
