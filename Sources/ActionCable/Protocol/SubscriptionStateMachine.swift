/// The subscription of one identifier, with at most one command in flight.
///
/// The server performs the commands of a connection on several threads. An unsubscribe and a
/// subscribe that are sent back to back take effect in either order, and a subscription is lost or
/// doubled. So after a subscribe nothing else is sent until its answer, or until the server has read
/// it and has not answered. An unsubscribe has no answer, and a call has none either: the next command
/// waits until the server has read it, and for `coolDown` after that, and is chosen by what is wanted
/// at that moment.
///
/// A pure value: time is an argument, commands and results are outputs.
struct SubscriptionStateMachine {
  enum Output: Hashable {
    case send(CableCommand)
    case confirmed(reconnected: Bool)
    case rejected
    case timedOut
  }

  /// What the server knows of the subscription.
  private enum Phase {
    case unsubscribed
    case subscribing(Attempt)
    case subscribed
    /// An unsubscribe was sent, which has no answer.
    ///
    /// `isConfirmed`: a confirmation has arrived since, so it is sent again.
    case unsubscribing(Unanswered, isConfirmed: Bool = false)
  }

  /// A command that the server does not answer.
  private struct Unanswered {
    /// Its number among the calls, or among the commands, of the connection; nil once it is read, and
    /// before it is known.
    var number: Int?
    /// When the server has performed it; nil while that is unknown.
    var done: Duration?
    /// The time for that, once it is read.
    var wait = coolDown
  }

  private struct Attempt {
    var deadline: Duration
    /// When an unsubscribe is sent to make the server begin again.
    var resetTime: Duration
    /// When the next command is sent.
    var nextSend: Duration
    var step = Step.first
    /// The number of its last command, which the server is not known to have read; nil for a read one, and for
    /// a server that answers no pings.
    var unread: Int?
    /// The time until which the server may answer the subscribes that it has read; nil while that is unknown.
    var answeredBy: Duration?
  }

  private enum Step {
    case first
    /// An unsubscribe was sent, and a subscribe follows: only this makes the server begin again.
    case reset
    case afterReset
  }

  /// Why the last attempt has failed; no subscribe is sent until it is cleared.
  enum Failure: Hashable {
    case rejected, timedOut
  }

  /// The time without an answer after which a subscribe is sent again.
  static let retry = Duration.milliseconds(500)
  /// The time for the server to perform commands without an answer, once it has read them: an unsubscribe, or
  /// a call.
  static let coolDown = Duration.milliseconds(250)
  /// The time for the server to answer a subscribe that it has read: an answer that comes later could be taken for
  /// that to another one.
  static let answerTime = UnconfirmedCalls.grace

  private let timeout: Duration
  private var phase = Phase.unsubscribed
  private(set) var failure: Failure?
  private(set) var isWanted = false
  private var isOnline: Bool
  private var isReconnect = false
  /// Whether it was confirmed before, and wanted without interruption since.
  private var wasConfirmed = false
  private var lastCall: Unanswered?
  /// Whether the pongs of the server show what it has read; otherwise a command counts as performed after a time.
  var answersPings = false

  /// - Parameters:
  ///   - timeout: how long a subscribe may go without an answer.
  ///   - isOnline: whether the server has sent its welcome.
  init(timeout: Duration, isOnline: Bool) { (self.timeout, self.isOnline) = (timeout, isOnline) }

  /// Whether the server has confirmed it, and it is still wanted.
  var isSubscribed: Bool { if case .subscribed = phase { isWanted } else { false } }

  /// Whether messages are delivered: also before the confirmation, which a message may overtake.
  var deliversMessages: Bool {
    switch phase {
    case .subscribing, .subscribed: isWanted
    case .unsubscribed, .unsubscribing: false
    }
  }

  /// Whether the machine has no state to keep.
  var isRemovable: Bool {
    if case .unsubscribed = phase { !isWanted } else { false }
  }

  /// When `tick` is due; nil for never.
  var due: Duration? {
    switch phase {
    case .unsubscribed: nil
    case .subscribed: isWanted ? nil : lastCall?.done
    case .unsubscribing(let command, _): command.done
    // Without a subscriber nothing is sent again, nor behind what waits in the network: only the deadline
    // counts.
    case .subscribing(let attempt):
      isWanted && attempt.unread == nil ? min(attempt.nextSend, attempt.deadline) : attempt.deadline
    }
  }

  // MARK: Subscribers

  /// Handles a subscriber that joins while the subscription is not confirmed, also again after a
  /// rejection or a timeout.
  mutating func subscribe(_ now: Duration) -> [Output] {
    let wasUnwanted = !isWanted
    isWanted = true
    failure = nil
    // Still subscribed: the unsubscribe waits behind the last calls.
    if wasUnwanted, isSubscribed { return [.confirmed(reconnected: false)] }
    return subscribeIfNeeded(now)
  }

  /// Notes that the call with this number was sent, which an unsubscribe must not overtake.
  mutating func noteCall(_ number: Int, _ now: Duration) { lastCall = unanswered(number, now) }

  /// Notes that its command was sent with this number.
  mutating func noteCommand(_ number: Int) {
    switch phase {
    case .subscribing(var attempt):
      if answersPings { attempt.unread = number }
      phase = .subscribing(attempt)
    case .unsubscribing(var command, let isConfirmed):
      command.number = number
      phase = .unsubscribing(command, isConfirmed: isConfirmed)
    case .unsubscribed, .subscribed: break
    }
  }

  /// Notes that the server has read the calls and the commands up to these numbers.
  mutating func noteRead(calls: Int, commands: Int, _ now: Duration) {
    if let number = lastCall?.number, number <= calls {
      lastCall = Unanswered(done: now + Self.coolDown)
    }
    switch phase {
    case .subscribing(var attempt):
      guard let number = attempt.unread, number <= commands else { break }
      attempt.unread = nil
      if attempt.step == .reset {
        attempt.nextSend = max(attempt.nextSend, now + Self.coolDown)
      } else {
        attempt.answeredBy = now + Self.answerTime
      }
      phase = .subscribing(attempt)
    case .unsubscribing(let command, let isConfirmed):
      guard let number = command.number, number <= commands else { break }
      phase = .unsubscribing(
        Unanswered(done: now + command.wait, wait: command.wait), isConfirmed: isConfirmed)
    case .unsubscribed, .subscribed: break
    }
  }

  /// Whether a command is not known to be read.
  var awaitsRead: Bool {
    if lastCall?.number != nil { return true }
    return switch phase {
    case .subscribing(let attempt): attempt.unread != nil
    case .unsubscribing(let command, _): command.number != nil
    case .unsubscribed, .subscribed: false
    }
  }

  private func unanswered(_ number: Int?, _ now: Duration) -> Unanswered {
    Unanswered(number: number, done: answersPings ? nil : now + Self.coolDown)
  }

  /// Handles the end of the last subscriber.
  mutating func unsubscribe(_ now: Duration) -> [Output] {
    (isWanted, wasConfirmed, failure) = (false, false, nil)
    switch phase {
    case .subscribed: return unsubscribeAfterCalls(now)
    case .subscribing(let attempt):
      if attempt.step == .reset {
        let done = attempt.unread == nil ? attempt.nextSend : nil
        phase = .unsubscribing(Unanswered(number: attempt.unread, done: done))
      }
    case .unsubscribed, .unsubscribing: break
    }
    return []
  }

  // MARK: The connection

  /// Notes the welcome of a connection, on which the server knows no earlier subscription.
  mutating func welcome(_ now: Duration, isReconnect: Bool) -> [Output] {
    (isOnline, self.isReconnect) = (true, isReconnect)
    phase = .unsubscribed
    if failure == .timedOut { failure = nil }
    return subscribeIfNeeded(now)
  }

  mutating func connectionEnded() {
    isOnline = false
    lastCall = nil
    phase = .unsubscribed
  }

  // MARK: Answers

  mutating func confirm(_ now: Duration) -> [Output] {
    switch phase {
    // A second confirmation changes nothing.
    case .subscribed: return []
    case .subscribing(let attempt):
      // An unsubscribe was sent since, so this confirmation is outdated.
      if attempt.step == .reset { return [] }
      guard isWanted else { return sendUnsubscribe(now) }
      phase = .subscribed
      defer { wasConfirmed = true }
      return [.confirmed(reconnected: wasConfirmed && isReconnect)]
    // A late confirmation: no channel subscribes, or the attempt was given up. The server has to
    // end the subscription.
    case .unsubscribed: return isOnline ? sendUnsubscribe(now) : []
    case .unsubscribing(let command, _):
      phase = .unsubscribing(command, isConfirmed: true)
      return []
    }
  }

  mutating func reject(_ now: Duration) -> [Output] {
    guard case .subscribing = phase else { return [] }
    phase = .unsubscribed
    guard isWanted else { return [] }
    (failure, wasConfirmed) = (.rejected, false)
    return [.rejected]
  }

  // MARK: Time

  /// Performs what is due.
  mutating func tick(_ now: Duration) -> [Output] {
    switch phase {
    case .unsubscribed: return []
    case .subscribed: return isWanted ? [] : unsubscribeAfterCalls(now)
    case .unsubscribing(let command, let isConfirmed):
      guard let done = command.done, done <= now else { return [] }
      if isConfirmed { return sendUnsubscribe(now, wait: command.wait) }
      phase = .unsubscribed
      return subscribeIfNeeded(now)
    case .subscribing(let attempt):
      if attempt.deadline <= now {
        let outputs: [Output] = isWanted ? [.timedOut] : []
        if isWanted { failure = .timedOut }
        // The server may still confirm the subscribe later, so it is unsubscribed, behind what waits in the
        // network.
        if let unread = attempt.unread {
          phase = .unsubscribing(
            Unanswered(number: unread, wait: Self.answerTime), isConfirmed: true)
          return outputs
        }
        return sendUnsubscribe(now) + outputs
      }
      let isDue = isWanted && attempt.unread == nil && attempt.nextSend <= now
      return isDue ? sendNext(attempt, now) : []
    }
  }

  /// Sends the subscribe again, and the last time after an unsubscribe.
  ///
  /// The unsubscribe makes the server begin again.
  private mutating func sendNext(_ attempt: Attempt, _ now: Duration) -> [Output] {
    var attempt = attempt
    defer { phase = .subscribing(attempt) }
    if attempt.step == .first, attempt.resetTime <= now {
      // The answer may be on its way.
      if let answeredBy = attempt.answeredBy, now < answeredBy {
        attempt.nextSend = answeredBy
        return []
      }
      attempt.step = .reset
      attempt.nextSend = now + Self.coolDown
      return [.send(.unsubscribe)]
    }
    if attempt.step == .reset { attempt.step = .afterReset }
    let bound = attempt.step == .first ? attempt.resetTime : attempt.deadline
    attempt.nextSend = min(now + Self.retry, bound)
    return [.send(.subscribe)]
  }

  private mutating func subscribeIfNeeded(_ now: Duration) -> [Output] {
    guard case .unsubscribed = phase, isOnline, isWanted, failure == nil else { return [] }
    let resetTime = now + max(timeout / 2, timeout - .seconds(1))
    let nextSend = min(now + Self.retry, resetTime)
    phase = .subscribing(Attempt(deadline: now + timeout, resetTime: resetTime, nextSend: nextSend))
    return [.send(.subscribe)]
  }

  private mutating func unsubscribeAfterCalls(_ now: Duration) -> [Output] {
    if let lastCall, lastCall.done.map({ now < $0 }) ?? true { return [] }
    return sendUnsubscribe(now)
  }

  private mutating func sendUnsubscribe(_ now: Duration, wait: Duration = coolDown) -> [Output] {
    var command = unanswered(nil, now)
    command.wait = wait
    phase = .unsubscribing(command)
    return [.send(.unsubscribe)]
  }
}
