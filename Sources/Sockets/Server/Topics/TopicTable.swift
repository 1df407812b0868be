/// The topics that have subscribers or observers in this process.
///
///     add, observe          -> subscribe          the first interest in a topic
///     remove, stopObserving -> unsubscribe        the last one: nothing of the topic remains
///     received, tick        -> emit, announce     the presence
struct TopicTable: StateMachine {
  enum Output {
    /// Subscribe to the topic at the backplane.
    case subscribe(String)
    case unsubscribe(String)
    case send(TopicEnvelope.Content, to: String)
    /// Emit the number of subscribers.
    case emit(Int, ReplayingHub<Int>)
    /// Call `announce` for this topic in a while.
    case announceLater(String)
    /// Call `tick` in a while.
    case tickLater
    case end([Stream])
  }

  /// The streams of a topic that have observers.
  struct Stream {
    var messages: SerializedSubject<WebSocketMessage>?
    var counts: ReplayingHub<Int>?
  }

  /// Those who receive a message in this process.
  struct Recipients {
    var members: [TopicMember] = []
    var messages: SerializedSubject<WebSocketMessage>?
  }

  /// What an observer observes.
  enum Interest {
    case messages, presence
  }

  private struct Topic {
    // An ended member is replaced by the last one: the order depends on no hash value, which
    // differs from run to run.
    var members: [TopicMember] = []
    /// The places in `members`, by the identity of the sockets.
    var places: [ObjectIdentifier: Int] = [:]
    var messageObservers = 0
    var presenceObservers = 0
    var stream = Stream()
    var presence = TopicPresence()
    var isAnnouncementDue = false

    var isUnused: Bool { members.isEmpty && messageObservers == 0 && presenceObservers == 0 }
    var count: Int { members.count + presence.othersCount }
  }

  private let hasBackplane: Bool
  private var topics: [String: Topic] = [:]
  private var outputs = Fifo<Output>()
  private var isTicking = false
  private var isClosed = false

  init(hasBackplane: Bool) { self.hasBackplane = hasBackplane }

  var hasOutputs: Bool { !outputs.isEmpty }

  mutating func popOutput() -> Output? { outputs.popFirst() }

  /// How many topics exist.
  var topicCount: Int { topics.count }

  /// The subscribers in this process.
  func localCount(of topic: String) -> Int { topics[topic]?.members.count ?? 0 }

  func recipients(of topic: String) -> Recipients {
    guard let topic = topics[topic] else { return Recipients() }
    return Recipients(members: topic.members, messages: topic.stream.messages)
  }

  /// Applies a change to a topic, which is made before it if needed, and removed after it if unused.
  private mutating func change<Result>(
    _ name: String, at now: Duration, _ body: (inout Topic) -> Result
  ) -> Result {
    if topics[name] == nil {
      topics[name] = Topic()
      if hasBackplane { outputs.append(.subscribe(name)) }
    }
    // In place: a copy of the topic would copy its members.
    let before = topics[name].map { ($0.count, $0.members.count) }
    let result = body(&topics[name, default: Topic()])
    guard let topic = topics[name] else { return result }
    if let counts = topic.stream.counts, topic.count != before?.0 {
      outputs.append(.emit(topic.count, counts))
    }
    if topic.members.count != before?.1 { membersChanged(name, topic, at: now) }
    if topic.isUnused {
      topics[name] = nil
      if hasBackplane { outputs.append(.unsubscribe(name)) }
    }
    return result
  }

  /// Reports the new number of members to processes that observe it: soon, so that a thousand
  /// changes are one message.
  private mutating func membersChanged(_ name: String, _ topic: Topic, at now: Duration) {
    guard topic.presence.isObservedElsewhere(at: now) else { return }
    if topic.isUnused {
      outputs.append(.send(.presence(0), to: name))
    } else if !topic.isAnnouncementDue {
      topics[name]?.isAnnouncementDue = true
      outputs.append(.announceLater(name))
    }
  }
}

// MARK: - Subscribers

extension TopicTable {
  /// Adds a member; returns the one that the socket has already, or this one; nil after the end.
  mutating func add(_ member: TopicMember, at now: Duration) -> TopicMember? {
    if isClosed { return nil }
    return change(member.topic, at: now) { topic in
      let id = ObjectIdentifier(member.socket)
      if let place = topic.places[id] { return topic.members[place] }
      topic.places[id] = topic.members.count
      topic.members.append(member)
      return member
    }
  }

  /// Removes a member; does nothing when it is removed already.
  ///
  /// The caller keeps the member until it has unlocked.
  mutating func remove(_ member: TopicMember, at now: Duration) {
    let id = ObjectIdentifier(member.socket)
    // Without a copy of the topic, which would copy the members when one is removed.
    guard let place = topics[member.topic]?.places[id],
      topics[member.topic]?.members[place] === member
    else { return }
    change(member.topic, at: now) { topic in
      topic.places[id] = nil
      let last = topic.members.removeLast()
      guard last !== member else { return }
      topic.members[place] = last
      topic.places[ObjectIdentifier(last.socket)] = place
    }
  }
}

// MARK: - Observers

extension TopicTable {
  /// Counts an observer of messages; returns their subject, nil after the end.
  mutating func observeMessages(
    of topic: String, at now: Duration
  ) -> SerializedSubject<WebSocketMessage>? {
    if isClosed { return nil }
    return change(topic, at: now) { topic in
      topic.messageObservers += 1
      let messages = topic.stream.messages ?? PublishSubject().serialized()
      topic.stream.messages = messages
      return messages
    }
  }

  /// Counts an observer of the presence; returns the hub of the numbers, nil after the end.
  mutating func observePresence(of topic: String, at now: Duration) -> ReplayingHub<Int>? {
    if isClosed { return nil }
    let (counts, isFirst) = change(topic, at: now) { topic in
      topic.presenceObservers += 1
      let counts = topic.stream.counts ?? ReplayingHub(value: topic.count)
      topic.stream.counts = counts
      return (counts, topic.presenceObservers == 1)
    }
    if isFirst, hasBackplane {
      outputs.append(.send(.presenceAsked, to: topic))
      if !isTicking {
        isTicking = true
        outputs.append(.tickLater)
      }
    }
    return counts
  }

  mutating func stopObserving(_ interest: Interest, of topic: String, at now: Duration) {
    guard topics[topic] != nil else { return }
    change(topic, at: now) { topic in
      switch interest {
      case .messages:
        topic.messageObservers -= 1
        if topic.messageObservers == 0 { topic.stream.messages = nil }
      case .presence:
        topic.presenceObservers -= 1
        if topic.presenceObservers == 0 {
          topic.stream.counts = nil
          topic.presence.forgetOthers()
        }
      }
    }
  }
}

// MARK: - Other processes

extension TopicTable {
  /// Handles what another process has sent about presence.
  mutating func received(
    _ content: TopicEnvelope.Content, from origin: TopicOrigin, to name: String, at now: Duration
  ) {
    // A message may arrive behind the end of the interest.
    guard let topic = topics[name] else { return }
    switch content {
    case .message: break
    case .presenceAsked:
      change(name, at: now) { $0.presence.noteQuestion(at: now) }
      if !topic.members.isEmpty { outputs.append(.send(.presence(topic.members.count), to: name)) }
    case .presence(let count):
      if topic.presenceObservers == 0 { return }
      change(name, at: now) { $0.presence.note(count, of: origin, at: now) }
    }
  }

  /// Reports the number of members to other processes, after changes.
  mutating func announce(_ name: String, at now: Duration) {
    guard topics[name]?.isAnnouncementDue == true else { return }
    topics[name]?.isAnnouncementDue = false
    outputs.append(.send(.presence(localCount(of: name)), to: name))
  }

  /// Asks for the presence of all topics where it is observed, and forgets what is too old.
  mutating func tick(at now: Duration) {
    isTicking = false
    let observed = observedNames
    for name in observed {
      change(name, at: now) { $0.presence.expire(at: now) }
      outputs.append(.send(.presenceAsked, to: name))
    }
    if !observed.isEmpty {
      isTicking = true
      outputs.append(.tickLater)
    }
  }

  /// Asks again after a connection was restored.
  mutating func connected() {
    for name in observedNames { outputs.append(.send(.presenceAsked, to: name)) }
  }

  /// Sorted: the order of a dictionary is another one in each run.
  private var observedNames: [String] {
    topics.filter { $0.value.presenceObservers > 0 }.keys.sorted()
  }

  /// Ends all topics, and returns their members, which the caller releases after unlocking.
  mutating func close() -> [TopicMember] {
    isClosed = true
    let members = topics.values.flatMap(\.members)
    outputs.append(.end(topics.keys.sorted().compactMap { topics[$0]?.stream }))
    topics = [:]
    return members
  }
}
