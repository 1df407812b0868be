import Sockets

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides what is sent to Redis on two connections, and what is reported.
///
///     idle -> connecting -> subscribing -> open -> waiting -> connecting ...
///     closed: reached from any phase
///
/// Both connections are one: when one fails, both are made again.
struct RedisStateMachine {
  /// What a connection is for: one with subscriptions takes no other commands in version 2.
  enum Role: CaseIterable {
    case subscriptions, commands
  }

  enum Output {
    /// Make both connections of the attempt of this number.
    case open(Int)
    case send([UInt8], Role)
    /// Close both connections, and drop what is not sent.
    case drop
    /// Close both connections after what is to be sent.
    case close
    case emit(BackplaneEvent)
    /// Call `passed` after this time.
    case wait(Deadline, Duration)
    /// Call `retry` for this attempt after the delay of this number, counted from 0.
    case retry(Int, number: Int)
  }

  enum Deadline: Equatable {
    case connection(attempt: Int)
    case ping(attempt: Int)
    case report
  }

  enum Phase {
    case idle
    case connecting
    /// The topics are being subscribed; the answer to a ping follows their confirmations.
    case subscribing
    case open(since: Duration)
    case waiting
    case closed
  }

  /// A message on its way.
  struct Publication {
    let topic: String
    let bytes: Data
    let number: UInt64
    let isTransient: Bool

    /// How much of the queue's limit it takes.
    var cost: Int { bytes.count + topic.utf8.count + 64 }
  }

  /// The command whose reply is awaited.
  enum Expectation {
    case published(cost: Int, isTransient: Bool)
    case added(Publication)
    case located(String)
    case read
    case pong
    case nothing
  }

  /// One of the two connections.
  struct Link {
    var handshake: RedisHandshake
    /// Whether something has arrived since the last ping.
    var isAlive = true
  }

  let url: RedisURL
  let configuration: RedisConfiguration
  private let origin: Data
  var phase = Phase.idle
  var attempt = 0
  private var retries = 0
  var links: [Role: Link] = [:]
  var expected = Fifo<Expectation>()
  var topics: Set<String> = []
  /// Nil without streams.
  var streams: RedisStreams?
  var queue = Fifo<Publication>()
  /// The bytes of messages that Redis has not taken.
  var heldBytes = 0
  private var lastNumber: UInt64 = 0
  /// The messages that were lost since the last report, and why the last one was.
  private var lost: (count: Int, reason: RedisError)?
  private var isReportDue = false
  var outputs: [Output] = []

  init(_ url: RedisURL, _ configuration: RedisConfiguration, origin: Data) {
    (self.url, self.configuration, self.origin) = (url, configuration, origin)
    if case .stream = configuration.delivery {
      streams = RedisStreams(prefix: configuration.prefix, origin: origin)
    }
  }

  var hasOutputs: Bool { !outputs.isEmpty }

  mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }

  /// Sends a command; commands to one connection in a row are one output.
  mutating func send(_ command: RedisCommand, _ role: Role) {
    if case .send(var bytes, role)? = outputs.last {
      outputs.removeLast()
      command.write(to: &bytes)
      outputs.append(.send(bytes, role))
    } else {
      var bytes: [UInt8] = []
      command.write(to: &bytes)
      outputs.append(.send(bytes, role))
    }
  }

  mutating func ask(_ command: RedisCommand, _ expectation: Expectation) {
    send(command, .commands)
    expected.append(expectation)
  }

  func channel(_ topic: String) -> Data { Data((configuration.prefix + topic).utf8) }
}

// MARK: - The server

extension RedisStateMachine {
  mutating func connect() {
    guard case .idle = phase else { return }
    outputs.append(.emit(.state(.connecting)))
    begin()
  }

  private mutating func begin() {
    attempt += 1
    phase = .connecting
    outputs.append(.open(attempt))
    outputs.append(.wait(.connection(attempt: attempt), configuration.connectTimeout))
  }

  mutating func subscribe(to topic: String) {
    guard topics.insert(topic).inserted else { return }
    streams?.add(topic)
    if isSubscribing { send(RedisCommand("SUBSCRIBE", [channel(topic)]), .subscriptions) }
    // Before that, all topics are located when all are subscribed.
    if case .open = phase { locate(topic) }
  }

  mutating func unsubscribe(from topic: String) {
    guard topics.remove(topic) != nil else { return }
    streams?.remove(topic)
    if isSubscribing { send(RedisCommand("UNSUBSCRIBE", [channel(topic)]), .subscriptions) }
  }

  /// Whether topics are sent as they change; before that they are sent all at once.
  private var isSubscribing: Bool {
    switch phase {
    case .subscribing, .open: true
    case .idle, .connecting, .waiting, .closed: false
    }
  }

  mutating func publish(_ bytes: Data, to topic: String, isTransient: Bool = false) {
    if case .closed = phase { return }
    guard bytes.count <= configuration.messageLimit else {
      return lose(1, .messageTooLong(length: bytes.count, limit: configuration.messageLimit))
    }
    let publication = Publication(
      topic: topic, bytes: bytes, number: lastNumber + 1, isTransient: isTransient)
    guard heldBytes + publication.cost <= configuration.queueLimit else {
      return isTransient ? () : lose(1, .queueFull(limit: configuration.queueLimit))
    }
    lastNumber += 1
    heldBytes += publication.cost
    if case .open = phase { send(publication) } else { queue.append(publication) }
  }

  mutating func send(_ publication: Publication) {
    let channel = channel(publication.topic)
    guard case .stream(let maxLength, let retention) = configuration.delivery,
      !publication.isTransient
    else {
      let bytes = streams == nil ? publication.bytes : StreamMessage.transient(publication.bytes)
      let command = RedisCommand("PUBLISH", [channel, bytes])
      return ask(
        command, .published(cost: publication.cost, isTransient: publication.isTransient))
    }
    let message = StreamMessage(
      origin: origin, number: publication.number, content: publication.bytes)
    let time = max(1, retention.components.seconds)
    // One more: the last one that a process has shows that it has missed none.
    let length = min(max(1, maxLength), Int(Int32.max)) + 1
    var add = RedisCommand("EVAL", Self.script, "1")
    add.arguments +=
      [channel, message.bytes] + ["\(length)", "\(time)"].map { Data($0.utf8) }
    ask(add, .added(publication))
  }

  /// Adds a message to a stream, and publishes it with the id of its entry, in one step: all
  /// processes receive all messages in the order of the stream.
  private static let script = """
    local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'm', ARGV[1]) \
    redis.call('EXPIRE', KEYS[1], ARGV[3]) \
    return redis.call('PUBLISH', KEYS[1], id .. ' ' .. ARGV[1])
    """

  mutating func close() {
    if case .closed = phase { return }
    switch phase {
    case .open: outputs.append(.close)
    case .idle, .connecting, .subscribing, .waiting, .closed: outputs.append(.drop)
    }
    phase = .closed
    queue = Fifo()
    expected = Fifo()
  }
}

// MARK: - Losses

extension RedisStateMachine {
  /// Reports lost messages: the first at once, then at most once a second.
  mutating func lose(_ count: Int, _ reason: RedisError) {
    if count == 0 { return }
    lost = (count: (lost?.count ?? 0) + count, reason: reason)
    if !isReportDue { report() }
  }

  private mutating func report() {
    isReportDue = false
    guard let lost else { return }
    self.lost = nil
    isReportDue = true
    outputs.append(.emit(.failed(.notPublished(count: lost.count, reason: lost.reason))))
    outputs.append(.wait(.report, .seconds(1)))
  }

  /// Ends the connection; another attempt follows.
  mutating func fail(_ error: RedisError, at now: Duration) {
    switch phase {
    case .idle, .waiting, .closed: return
    case .open(let since): if now - since >= .seconds(5) { retries = 0 }
    case .connecting, .subscribing: break
    }
    phase = .waiting
    links = [:]
    streams?.disconnected()
    keepUnanswered(error)
    outputs.append(.drop)
    outputs.append(.emit(.state(.disconnected(error))))
    outputs.append(.retry(attempt, number: retries))
    retries += 1
  }

  /// Repeats the messages without an answer where repeated ones are recognized; otherwise they are
  /// possibly lost.
  private mutating func keepUnanswered(_ error: RedisError) {
    // In `queue` there is at most the first one without an answer: others are there only before the
    // connection is open, when no answer is awaited.
    var lostCount = 0
    while let expectation = expected.popFirst() {
      switch expectation {
      case .published(let cost, let isTransient):
        heldBytes -= cost
        if !isTransient { lostCount += 1 }
      case .added(let publication): queue.append(publication)
      case .located, .read, .pong, .nothing: break
      }
    }
    lose(lostCount, error)
  }
}

// MARK: - Time

extension RedisStateMachine {
  mutating func retry(_ attempt: Int) {
    if attempt == self.attempt, case .waiting = phase { begin() }
  }

  mutating func passed(_ deadline: Deadline, at now: Duration) {
    switch deadline {
    case .connection(attempt): connectionTimedOut(at: now)
    case .ping(attempt): ping(at: now)
    case .report: report()
    case .connection, .ping: break
    }
  }

  /// Notes that Redis is not read now, so that its silence means nothing.
  mutating func noteAlive() { for role in Role.allCases { links[role]?.isAlive = true } }

  private mutating func connectionTimedOut(at now: Duration) {
    switch phase {
    case .connecting, .subscribing:
      fail(.connectTimedOut(after: configuration.connectTimeout), at: now)
    case .idle, .open, .waiting, .closed: break
    }
  }

  private mutating func ping(at now: Duration) {
    guard case .open = phase else { return }
    guard links.values.allSatisfy(\.isAlive) else {
      return fail(.unresponsive(after: configuration.pingInterval), at: now)
    }
    for role in Role.allCases { links[role]?.isAlive = false }
    send(RedisCommand("PING"), .subscriptions)
    ask(RedisCommand("PING"), .pong)
    outputs.append(.wait(.ping(attempt: attempt), configuration.pingInterval))
  }
}
