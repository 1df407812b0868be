/// The subscription of one identifier, with at most one command in flight.
///
/// The server performs the commands of a connection on several threads. An unsubscribe and a
/// subscribe that are sent back to back take effect in either order, and a subscription is lost or
/// doubled. So after a subscribe nothing else is sent until its answer. An unsubscribe has no
/// answer, so the next command waits for `coolDown` after it, and is chosen by what is wanted at
/// that moment.
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
    case absent
    case subscribing(Attempt)
    case subscribed
    /// An unsubscribe was sent, which has no answer; `again` when a confirmation arrived since.
    case leaving(until: Duration, again: Bool = false)
  }

  private struct Attempt {
    var deadline: Duration
    var revival: Duration
    var next: Duration
    var step = Step.asking
  }

  private enum Step {
    case asking
    /// An unsubscribe was sent, and a subscribe follows: only this makes the server begin again.
    case forgetting
    case askingAgain
  }

  /// Why the machine does not ask again by itself.
  enum Verdict: Hashable {
    case rejected, timedOut
  }

  /// The time without an answer after which a subscribe is sent again.
  static let retry = Duration.milliseconds(500)
  /// The time for the server to perform commands without an answer: an unsubscribe, or a call.
  static let coolDown = Duration.milliseconds(250)

  private let timeout: Duration
  private var phase = Phase.absent
  private(set) var verdict: Verdict?
  private(set) var isWanted = false
  private var isOnline: Bool
  private var isReconnect = false
  /// Whether it was confirmed before, and wanted without interruption since.
  private var wasConfirmed = false
  /// When the last call was sent.
  private var lastCall: Duration?

  /// - Parameters:
  ///   - timeout: how long a subscribe may go without an answer.
  ///   - isOnline: whether the server has sent its welcome.
  init(timeout: Duration, isOnline: Bool) { (self.timeout, self.isOnline) = (timeout, isOnline) }

  /// Whether the server has confirmed it, and it is still wanted.
  var isSubscribed: Bool { if case .subscribed = phase { isWanted } else { false } }

  /// Whether messages are delivered: also before the confirmation, which a message may overtake.
  var takesMessages: Bool {
    switch phase {
    case .subscribing, .subscribed: isWanted
    case .absent, .leaving: false
    }
  }

  /// Whether the machine has no state to keep.
  var isForgettable: Bool {
    if case .absent = phase { !isWanted } else { false }
  }

  /// When `tick` is due; nil for never.
  var due: Duration? {
    switch phase {
    case .absent: nil
    case .subscribed: isWanted ? nil : lastCall.map { $0 + Self.coolDown }
    case .leaving(let until, _): until
    // Without a subscriber nothing is sent again: only the deadline counts.
    case .subscribing(let attempt): isWanted ? attempt.next : attempt.deadline
    }
  }

  // MARK: Subscribers

  /// Notes the first subscriber, or a subscriber that asks again after a rejection.
  mutating func want(_ now: Duration) -> [Output] {
    let isBack = !isWanted
    isWanted = true
    verdict = nil
    // The unsubscribe was not sent yet.
    if isBack, isSubscribed { return [.confirmed(reconnected: false)] }
    return settle(now)
  }

  /// Notes that a call was sent, which an unsubscribe must not overtake.
  mutating func noteCall(_ now: Duration) { lastCall = now }

  /// Notes that there is no subscriber any more.
  mutating func unwant(_ now: Duration) -> [Output] {
    (isWanted, wasConfirmed, verdict) = (false, false, nil)
    switch phase {
    case .subscribed: return leaveAfterCalls(now)
    case .subscribing(let attempt):
      if attempt.step == .forgetting { phase = .leaving(until: attempt.next) }
    case .absent, .leaving: break
    }
    return []
  }

  // MARK: The connection

  /// Notes the welcome of a connection, on which the server knows no earlier subscription.
  mutating func welcome(_ now: Duration, isReconnect: Bool) -> [Output] {
    (isOnline, self.isReconnect) = (true, isReconnect)
    phase = .absent
    if verdict == .timedOut { verdict = nil }
    return settle(now)
  }

  mutating func connectionEnded() {
    isOnline = false
    lastCall = nil
    phase = .absent
  }

  // MARK: Answers

  mutating func confirm(_ now: Duration) -> [Output] {
    switch phase {
    // A second confirmation changes nothing.
    case .subscribed: return []
    case .subscribing(let attempt):
      // An unsubscribe was sent since, so this confirmation is outdated.
      if attempt.step == .forgetting { return [] }
      guard isWanted else { return leave(now) }
      phase = .subscribed
      defer { wasConfirmed = true }
      return [.confirmed(reconnected: wasConfirmed && isReconnect)]
    // The confirmation of a subscription that is not wanted: the server has to end it.
    case .absent: return isOnline ? leave(now) : []
    case .leaving(let until, _):
      phase = .leaving(until: until, again: true)
      return []
    }
  }

  mutating func reject(_ now: Duration) -> [Output] {
    guard case .subscribing = phase else { return [] }
    phase = .absent
    guard isWanted else { return [] }
    (verdict, wasConfirmed) = (.rejected, false)
    return [.rejected]
  }

  // MARK: Time

  /// Performs what is due.
  mutating func tick(_ now: Duration) -> [Output] {
    switch phase {
    case .absent: return []
    case .subscribed: return isWanted ? [] : leaveAfterCalls(now)
    case .leaving(let until, let again):
      guard until <= now else { return [] }
      if again { return leave(now) }
      phase = .absent
      return settle(now)
    case .subscribing(let attempt):
      if attempt.deadline <= now {
        let news: [Output] = isWanted ? [.timedOut] : []
        if isWanted { verdict = .timedOut }
        // The server may still confirm the subscribe later, so it is unsubscribed.
        return leave(now) + news
      }
      return isWanted && attempt.next <= now ? ask(attempt, now) : []
    }
  }

  /// Asks again, and finally unsubscribes first, which makes the server begin again.
  private mutating func ask(_ attempt: Attempt, _ now: Duration) -> [Output] {
    var attempt = attempt
    defer { phase = .subscribing(attempt) }
    if attempt.step == .asking, attempt.revival <= now {
      attempt.step = .forgetting
      attempt.next = now + Self.coolDown
      return [.send(.unsubscribe)]
    }
    if attempt.step == .forgetting { attempt.step = .askingAgain }
    let bound = attempt.step == .asking ? attempt.revival : attempt.deadline
    attempt.next = min(now + Self.retry, bound)
    return [.send(.subscribe)]
  }

  private mutating func settle(_ now: Duration) -> [Output] {
    guard case .absent = phase, isOnline, isWanted, verdict == nil else { return [] }
    let revival = now + max(timeout / 2, timeout - .seconds(1))
    phase = .subscribing(
      Attempt(deadline: now + timeout, revival: revival, next: min(now + Self.retry, revival))
    )
    return [.send(.subscribe)]
  }

  private mutating func leaveAfterCalls(_ now: Duration) -> [Output] {
    if let lastCall, now < lastCall + Self.coolDown { return [] }
    return leave(now)
  }

  private mutating func leave(_ now: Duration) -> [Output] {
    phase = .leaving(until: now + Self.coolDown)
    return [.send(.unsubscribe)]
  }
}
