/// The channels of a cable: one state machine for each identifier, shared by its subscribers.
///
/// A pure value, part of the cable's state machine.
struct CableChannels {
  typealias SubscriberID = CableStateMachine.SubscriberID
  typealias Output = CableStateMachine.Output

  /// The subscribers of one identifier.
  private struct Channel {
    var machine: SubscriptionStateMachine
    var subscribers: [SubscriberID] = []
  }

  private let timeout: Duration
  private let unconfirmedCallLimit: Int
  private var subscribers: [SubscriberID: ChannelSubscriber] = [:]
  // Keyed by the identifier's text, which the server sends back.
  private var channels: [String: Channel] = [:]
  private var nextID = 0
  private var outputs: [Output] = []
  private var isWelcomed = false
  /// Whether the server answers pings, as far as the last connections have shown.
  private var answersPings = false {
    didSet {
      guard answersPings != oldValue else { return }
      for key in channels.keys { channels[key]?.machine.answersPings = answersPings }
    }
  }
  /// The identifiers with a command that the server is not known to have read.
  private var awaitingRead: Set<String> = []
  /// The calls of the current connection.
  private var calls = UnconfirmedCalls(firstNumber: 1)
  /// The time of the next `tick`, which may be earlier than that of any machine; nil for none.
  private(set) var due: Duration?

  init(timeout: Duration, unconfirmedCallLimit: Int) {
    (self.timeout, self.unconfirmedCallLimit) = (timeout, unconfirmedCallLimit)
  }

  /// Whether the caller has outputs to carry out.
  var hasOutputs: Bool { !outputs.isEmpty }

  /// Removes the outputs and returns them, in the order in which they are carried out.
  mutating func takeOutputs() -> [Output] {
    if outputs.isEmpty { return [] }
    defer { outputs = [] }
    return outputs
  }

  /// The number of identifiers with a state machine.
  var count: Int { channels.count }

  /// When the connection is given up because a ping is not answered; nil for never.
  var pongDue: Duration? { answersPings ? calls.pongDue : nil }

  /// The number of unconfirmed calls of the connection.
  var unconfirmedCallCount: Int { calls.count }

  func state(of id: SubscriberID) -> CableChannelState { subscribers[id]?.state ?? .unsubscribed }

  // MARK: Subscribers

  /// Adds a subscriber, which does not subscribe yet.
  mutating func add(_ identifier: CableIdentifier, _ buffering: CableBuffering) -> SubscriberID {
    nextID += 1
    subscribers[nextID] = ChannelSubscriber(identifier, buffering)
    return nextID
  }

  /// Unsubscribes and forgets a subscriber.
  mutating func remove(_ id: SubscriberID, _ now: Duration) {
    unsubscribe(id, now)
    subscribers[id] = nil
  }

  /// Subscribes, also again after a rejection or a timeout; otherwise does nothing.
  mutating func subscribe(_ id: SubscriberID, _ now: Duration) {
    guard let subscriber = subscribers[id] else { return }
    let isRetry = subscriber.state == .rejected || subscriber.state == .timedOut
    guard !subscriber.isWanted || isRetry else { return }
    subscribers[id]?.isWanted = true
    let key = subscriber.identifier.text
    var channel = channels[key] ?? newChannel
    if !channel.subscribers.contains(id) { channel.subscribers.append(id) }
    channels[key] = channel
    if channel.machine.isSubscribed { return confirmed(id, now, reconnected: false) }
    // Subscribers that were rejected wait again too, since the server is asked again for all.
    for other in channel.subscribers { setState(of: other, to: .pending) }
    change(key, now) { $0.subscribe(now) }
  }

  /// Ends a subscription; the last one of an identifier ends it on the server too.
  mutating func unsubscribe(_ id: SubscriberID, _ now: Duration) {
    guard let subscriber = subscribers[id], subscriber.isWanted else { return }
    subscribers[id]?.isWanted = false
    setState(of: id, to: .unsubscribed)
    outputs.append(.channelEvent(id, .unsubscribed))
    failBufferedCalls(of: id)
    let key = subscriber.identifier.text
    channels[key]?.subscribers.removeAll { $0 == id }
    if channels[key]?.subscribers.isEmpty == true { change(key, now) { $0.unsubscribe(now) } }
  }

  /// Sends a call, or buffers it until the subscription is confirmed.
  ///
  /// - Throws: `notSubscribed`, `bufferFull` or `tooManyUnconfirmed`; the call is not taken then
  mutating func perform(
    _ call: CableCall,
    _ id: SubscriberID,
    _ now: Duration
  ) throws(CableError) -> CableCallResult {
    guard let subscriber = subscribers[id] else { throw .notSubscribed(.unsubscribed) }
    guard subscriber.state == .subscribed else {
      try subscribers[id]?.buffer(call)
      return .buffered
    }
    if calls.count >= unconfirmedCallLimit {
      throw .tooManyUnconfirmed(limit: unconfirmedCallLimit)
    }
    send(call, id, now)
    ping(now)
    return .sent
  }

  private var newChannel: Channel {
    var machine = SubscriptionStateMachine(timeout: timeout, isOnline: isWelcomed)
    machine.answersPings = answersPings
    return Channel(machine: machine)
  }

  // MARK: The connection

  /// Handles the server's welcome: subscribes to every identifier that has subscribers.
  mutating func welcome(_ now: Duration, isReconnect: Bool) {
    isWelcomed = true
    ping(now)
    // Ordered by their oldest remaining subscribers, which is close to the order of subscribing.
    for (key, channel) in channels.sorted(by: {
      Self.firstSubscriber($0) < Self.firstSubscriber($1)
    }) {
      for id in channel.subscribers where subscribers[id]?.state == .timedOut {
        setState(of: id, to: .pending)
      }
      change(key, now) { $0.welcome(now, isReconnect: isReconnect) }
    }
  }

  private static func firstSubscriber(_ entry: (key: String, value: Channel)) -> SubscriberID {
    entry.value.subscribers.first ?? .max
  }

  /// Notes the end of the connection, and returns its unconfirmed calls.
  mutating func disconnected(_ ending: CableDisconnection, _ now: Duration) -> UnconfirmedCalls {
    defer { calls = UnconfirmedCalls(firstNumber: calls.nextNumber) }
    isWelcomed = false
    if calls.isMute(now) { answersPings = false }
    awaitingRead = []
    for key in channels.keys {
      channels[key]?.machine.connectionEnded()
      if channels[key]?.machine.isRemovable == true { channels[key] = nil }
    }
    for id in subscribers.keys.sorted() {
      guard let subscriber = subscribers[id] else { continue }
      if subscriber.state == .subscribed { setState(of: id, to: .pending) }
      guard subscriber.isWanted, subscriber.state != .rejected else { continue }
      outputs.append(.channelEvent(id, .disconnected(ending)))
    }
    due = nil
    return calls
  }

  /// Handles the server's confirmation of a subscription.
  mutating func confirm(_ key: String, _ now: Duration) {
    // Without a subscriber, a new machine makes the server unsubscribe.
    if channels[key] == nil { channels[key] = newChannel }
    change(key, now) { $0.confirm(now) }
  }

  /// Handles the server's rejection of a subscription.
  mutating func reject(_ key: String, _ now: Duration) { change(key, now) { $0.reject(now) } }

  /// Delivers a message to the subscribers; returns false when there are none.
  mutating func deliver(_ message: JSONValue, to key: String) -> Bool {
    guard let channel = channels[key], channel.machine.deliversMessages else { return false }
    for id in channel.subscribers { outputs.append(.channelEvent(id, .message(message))) }
    return true
  }

  /// Lets the machines whose time has come go on.
  mutating func tick(_ now: Duration) {
    guard let due, due <= now else { return }
    self.due = nil
    for key in channels.keys.sorted() { change(key, now) { $0.tick(now) } }
  }

  // MARK: Calls

  /// Notes that a call was passed to the socket; returns false for a call of another connection.
  mutating func callSent(_ number: Int, end: Int) -> Bool {
    guard calls.contains(number) else { return false }
    calls.callSent(end: end)
    return true
  }

  /// Notes a message of the server.
  mutating func messageReceived(_ now: Duration) {
    calls.messageReceived(now)
    ping(now)
  }

  /// Handles the pong of the ping behind this call.
  mutating func pongReceived(_ number: Int, _ now: Duration) {
    calls.pongReceived(number, now)
    // A pong that answers no ping shows nothing (RFC 6455, 5.5.3).
    if calls.hasPong { answersPings = true }
    let (readCall, readCommand) = (calls.readCall, calls.readCommand)
    for key in awaitingRead.sorted() {
      change(key, now) { machine in
        machine.noteRead(calls: readCall, commands: readCommand, now)
        return []
      }
      if channels[key]?.machine.awaitsRead != true { awaitingRead.remove(key) }
    }
    messageReceived(now)
  }

  /// Notes that the ping behind this call could not be sent yet.
  mutating func pingFailed(_ number: Int) { calls.pingFailed(number) }

  /// Reports calls of an ended connection as failed.
  mutating func report(_ calls: [UnconfirmedCalls.Call], failedWith error: CableError) {
    for call in calls { report([call.call], failedWith: error, to: call.subscriber) }
  }

  /// Reports all calls that wait for a confirmation as failed.
  mutating func failBufferedCalls() {
    for id in subscribers.keys.sorted() { failBufferedCalls(of: id) }
  }

  /// Sends a ping, whose pong shows what the server has read, if a call or another command is new.
  private mutating func ping(_ now: Duration) {
    guard isWelcomed, let number = calls.beginPing(now) else { return }
    outputs.append(.ping(number: number))
  }

  // MARK: Steps

  /// Changes a machine, carries out its outputs, and removes it when it is not needed any more.
  private mutating func change(
    _ key: String,
    _ now: Duration,
    _ body: (inout SubscriptionStateMachine) -> [SubscriptionStateMachine.Output]
  ) {
    guard var channel = channels[key] else { return }
    let results = body(&channel.machine)
    channels[key] = channel
    for result in results { apply(result, key, channel.subscribers, now) }
    if let next = channel.machine.due { due = min(due ?? next, next) }
    if channel.machine.isRemovable { channels[key] = nil }
  }

  private mutating func apply(
    _ result: SubscriptionStateMachine.Output,
    _ key: String,
    _ ids: [SubscriberID],
    _ now: Duration
  ) {
    switch result {
    case .send(let command):
      outputs.append(.send(command.text(for: key)))
      channels[key]?.machine.noteCommand(calls.addCommand())
      awaitingRead.insert(key)
      ping(now)
    case .confirmed(let reconnected):
      for id in ids { confirmed(id, now, reconnected: reconnected) }
    case .rejected:
      for id in ids { endWaiting(of: id, .rejected, .rejected) }
    case .timedOut:
      for id in ids { endWaiting(of: id, .timedOut, .timedOut(after: timeout)) }
    }
  }

  private mutating func confirmed(_ id: SubscriberID, _ now: Duration, reconnected: Bool) {
    setState(of: id, to: .subscribed)
    outputs.append(.channelEvent(id, .subscribed(reconnected: reconnected)))
    for call in subscribers[id]?.takeBufferedCalls() ?? [] { send(call, id, now) }
    ping(now)
  }

  /// Reports that the server has not confirmed the subscription.
  private mutating func endWaiting(
    of id: SubscriberID,
    _ state: CableChannelState,
    _ event: CableChannelEvent
  ) {
    setState(of: id, to: state)
    outputs.append(.channelEvent(id, event))
    failBufferedCalls(of: id)
  }

  private mutating func send(_ call: CableCall, _ id: SubscriberID, _ now: Duration) {
    guard let identifier = subscribers[id]?.identifier else { return }
    let number = calls.add(call, of: id, now)
    let text = CableCommand.message(call.payload).text(for: identifier.text)
    outputs.append(.call(number: number, text))
    channels[identifier.text]?.machine.noteCall(number, now)
    awaitingRead.insert(identifier.text)
  }

  private mutating func failBufferedCalls(of id: SubscriberID) {
    guard let subscriber = subscribers[id] else { return }
    let calls = subscribers[id]?.takeBufferedCalls() ?? []
    report(calls, failedWith: .notSubscribed(subscriber.state), to: id)
  }

  private mutating func report(
    _ calls: [CableCall], failedWith error: CableError, to id: SubscriberID
  ) {
    for call in calls { outputs.append(.channelEvent(id, .performFailed(call, error))) }
  }

  private mutating func setState(of id: SubscriberID, to state: CableChannelState) {
    guard subscribers[id]?.state != state else { return }
    subscribers[id]?.state = state
    outputs.append(.channelState(id, state))
  }
}
