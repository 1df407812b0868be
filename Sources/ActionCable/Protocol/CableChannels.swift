/// The channels of a cable: one state machine for each identifier, shared by its subscribers.
///
/// A pure value, part of the cable's state machine.
struct CableChannels {
  typealias MemberID = CableStateMachine.MemberID
  typealias Output = CableStateMachine.Output

  private struct Group {
    var machine: SubscriptionStateMachine
    var members: [MemberID] = []
  }

  private let timeout: Duration
  private let unconfirmedLimit: Int
  private var members: [MemberID: ChannelSubscriber] = [:]
  // Keyed by the identifier's text, which the server sends back.
  private var groups: [String: Group] = [:]
  private var nextID = 0
  private var outputs: [Output] = []
  private var isReady = false
  /// The calls of the current connection.
  private var calls = CallLedger(firstNumber: 1)
  /// A lower bound of when the first machine is due.
  ///
  /// It may be too early: it stays when a machine's time is postponed or dropped.
  private(set) var due: Duration?

  init(timeout: Duration, unconfirmedLimit: Int) {
    (self.timeout, self.unconfirmedLimit) = (timeout, unconfirmedLimit)
  }

  var hasOutputs: Bool { !outputs.isEmpty }

  mutating func takeOutputs() -> [Output] {
    if outputs.isEmpty { return [] }
    defer { outputs = [] }
    return outputs
  }

  /// The number of identifiers with a state machine.
  var count: Int { groups.count }

  /// The number of unconfirmed calls of the connection.
  var unconfirmedCalls: Int { calls.count }

  func state(of id: MemberID) -> CableChannelState { members[id]?.state ?? .unsubscribed }

  // MARK: Members

  mutating func add(_ identifier: CableIdentifier, _ buffering: CableBuffering) -> MemberID {
    nextID += 1
    members[nextID] = ChannelSubscriber(identifier, buffering)
    return nextID
  }

  mutating func remove(_ id: MemberID, _ now: Duration) {
    unsubscribe(id, now)
    members[id] = nil
  }

  mutating func subscribe(_ id: MemberID, _ now: Duration) {
    guard let member = members[id] else { return }
    let isRetry = member.state == .rejected || member.state == .timedOut
    guard !member.isWanted || isRetry else { return }
    members[id]?.isWanted = true
    let key = member.identifier.text
    var group = groups[key] ?? newGroup
    if !group.members.contains(id) { group.members.append(id) }
    groups[key] = group
    if group.machine.isSubscribed { return confirmed(id, now, reconnected: false) }
    // Subscribers that were rejected wait again too, since the server is asked again for all.
    for other in group.members { setState(of: other, to: .pending) }
    change(key, now) { $0.subscribe(now) }
  }

  mutating func unsubscribe(_ id: MemberID, _ now: Duration) {
    guard let member = members[id], member.isWanted else { return }
    members[id]?.isWanted = false
    setState(of: id, to: .unsubscribed)
    outputs.append(.channelEvent(id, .unsubscribed))
    failBufferedCalls(of: id)
    let key = member.identifier.text
    groups[key]?.members.removeAll { $0 == id }
    if groups[key]?.members.isEmpty == true { change(key, now) { $0.unsubscribe(now) } }
  }

  mutating func perform(
    _ perform: CableCall,
    _ id: MemberID,
    _ now: Duration
  ) throws(CableError) -> CableCallResult {
    guard let member = members[id] else { throw .notSubscribed(.unsubscribed) }
    guard member.state == .subscribed else {
      try members[id]?.buffer(perform)
      return .buffered
    }
    if calls.count >= unconfirmedLimit { throw .tooManyUnconfirmed(limit: unconfirmedLimit) }
    send(perform, id, now)
    ping()
    return .sent
  }

  private var newGroup: Group {
    Group(machine: SubscriptionStateMachine(timeout: timeout, isOnline: isReady))
  }

  // MARK: The connection

  mutating func welcome(_ now: Duration, isReconnect: Bool) {
    isReady = true
    ping()
    // Ordered by their oldest remaining members, which is close to the order of subscribing.
    for (key, group) in groups.sorted(by: { Self.firstMember($0) < Self.firstMember($1) }) {
      for id in group.members where members[id]?.state == .timedOut {
        setState(of: id, to: .pending)
      }
      change(key, now) { $0.welcome(now, isReconnect: isReconnect) }
    }
  }

  private static func firstMember(_ entry: (key: String, value: Group)) -> MemberID {
    entry.value.members.first ?? .max
  }

  /// - Returns: the calls of the connection that has ended.
  mutating func disconnected(_ ending: CableDisconnection) -> CallLedger {
    defer { calls = CallLedger(firstNumber: calls.nextNumber) }
    isReady = false
    for key in groups.keys {
      groups[key]?.machine.connectionEnded()
      if groups[key]?.machine.isRemovable == true { groups[key] = nil }
    }
    for id in members.keys.sorted() {
      guard let member = members[id] else { continue }
      if member.state == .subscribed { setState(of: id, to: .pending) }
      guard member.isWanted, member.state != .rejected else { continue }
      outputs.append(.channelEvent(id, .disconnected(ending)))
    }
    due = nil
    return calls
  }

  mutating func confirm(_ key: String, _ now: Duration) {
    // Without a subscriber, a new machine makes the server unsubscribe.
    if groups[key] == nil { groups[key] = newGroup }
    change(key, now) { $0.confirm(now) }
  }

  mutating func reject(_ key: String, _ now: Duration) { change(key, now) { $0.reject(now) } }

  /// Delivers a message to the subscribers; returns false when there are none.
  mutating func deliver(_ message: JSONValue, to key: String) -> Bool {
    guard let group = groups[key], group.machine.deliversMessages else { return false }
    for id in group.members { outputs.append(.channelEvent(id, .message(message))) }
    return true
  }

  mutating func tick(_ now: Duration) {
    guard let due, due <= now else { return }
    self.due = nil
    for key in groups.keys.sorted() { change(key, now) { $0.tick(now) } }
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
    ping()
  }

  /// Handles the pong of the ping behind this call.
  mutating func pongReceived(_ number: Int, _ now: Duration) {
    calls.pongReceived(number, now)
    messageReceived(now)
  }

  /// Notes that the ping behind this call could not be sent yet.
  mutating func pingFailed(_ number: Int) { calls.pingFailed(number) }

  mutating func fail(_ calls: [CallLedger.Call], _ error: CableError) {
    for call in calls { fail([call.perform], error, call.member) }
  }

  /// Reports all calls that wait for a confirmation as failed.
  mutating func failBufferedCalls() {
    for id in members.keys.sorted() { failBufferedCalls(of: id) }
  }

  /// Sends a ping, whose pong shows what the server has read, if there are calls to confirm.
  private mutating func ping() {
    guard isReady, let number = calls.nextPing() else { return }
    outputs.append(.ping(number: number))
  }

  // MARK: Steps

  private mutating func change(
    _ key: String,
    _ now: Duration,
    _ body: (inout SubscriptionStateMachine) -> [SubscriptionStateMachine.Output]
  ) {
    guard var group = groups[key] else { return }
    let results = body(&group.machine)
    groups[key] = group
    for result in results { apply(result, key, group.members, now) }
    if let next = group.machine.due { due = min(due ?? next, next) }
    if group.machine.isRemovable { groups[key] = nil }
  }

  private mutating func apply(
    _ result: SubscriptionStateMachine.Output,
    _ key: String,
    _ ids: [MemberID],
    _ now: Duration
  ) {
    switch result {
    case .send(let command): outputs.append(.send(command.text(for: key)))
    case .confirmed(let reconnected):
      for id in ids { confirmed(id, now, reconnected: reconnected) }
    case .rejected:
      for id in ids { fail(id, .rejected, .rejected) }
    case .timedOut:
      for id in ids { fail(id, .timedOut, .timedOut(after: timeout)) }
    }
  }

  private mutating func confirmed(_ id: MemberID, _ now: Duration, reconnected: Bool) {
    setState(of: id, to: .subscribed)
    outputs.append(.channelEvent(id, .subscribed(reconnected: reconnected)))
    for perform in members[id]?.takeBufferedCalls() ?? [] { send(perform, id, now) }
    ping()
  }

  private mutating func fail(
    _ id: MemberID,
    _ state: CableChannelState,
    _ event: CableChannelEvent
  ) {
    setState(of: id, to: state)
    outputs.append(.channelEvent(id, event))
    failBufferedCalls(of: id)
  }

  private mutating func send(_ perform: CableCall, _ id: MemberID, _ now: Duration) {
    guard let identifier = members[id]?.identifier else { return }
    let number = calls.add(perform, of: id, now)
    let text = CableCommand.message(perform.payload).text(for: identifier.text)
    outputs.append(.call(number: number, text))
    groups[identifier.text]?.machine.noteCall(now)
  }

  private mutating func failBufferedCalls(of id: MemberID) {
    guard let member = members[id] else { return }
    fail(members[id]?.takeBufferedCalls() ?? [], .notSubscribed(member.state), id)
  }

  private mutating func fail(_ performs: [CableCall], _ error: CableError, _ id: MemberID) {
    for perform in performs { outputs.append(.channelEvent(id, .performFailed(perform, error))) }
  }

  private mutating func setState(of id: MemberID, to state: CableChannelState) {
    guard members[id]?.state != state else { return }
    members[id]?.state = state
    outputs.append(.channelState(id, state))
  }
}
