/// One identifier's subscription, with never more than one command in flight.
///
/// The server carries out the commands of a connection on several threads: sent back to back, an
/// unsubscribe and a subscribe take effect in either order, and a subscription is lost or doubled. So a
/// subscribe waits for its answer before anything else is sent, and as an unsubscribe has no answer, the
/// next command waits `coolDown` after it; what is wanted at that moment is what is sent.
///
/// A pure value: time comes in, commands and news come out.
struct SubscriptionStateMachine {
  enum Output: Hashable {
    case send(CableCommand)
    case confirmed(reconnected: Bool)
    case rejected
    case timedOut
  }

  /// What the server knows of it.
  private enum Phase {
    case absent
    case subscribing(Attempt)
    case subscribed
    /// Unsubscribed, which is never answered; `again` when a confirmation has come since.
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
    /// An unsubscribe was sent, and a subscribe follows: the one way to have the server begin again.
    case forgetting
    case askingAgain
  }

  /// Why it is not asked for again by itself.
  enum Verdict: Hashable {
    case rejected, timedOut
  }

  /// Time without an answer after which a subscribe is sent again.
  static let retry = Duration.milliseconds(500)
  /// Time in which the server carries out what it does not answer: an unsubscribe, or a call.
  static let coolDown = Duration.milliseconds(250)

  private let timeout: Duration
  private var phase = Phase.absent
  private(set) var verdict: Verdict?
  private(set) var isWanted = false
  private var isOnline: Bool
  private var isReconnect = false
  /// Whether it was confirmed before, and wanted ever since.
  private var wasConfirmed = false
  /// When the last call of it was sent.
  private var lastCall: Duration?

  /// - Parameters:
  ///   - timeout: how long a subscribe may go without an answer.
  ///   - isOnline: whether the server lets the connection in.
  init(timeout: Duration, isOnline: Bool) { (self.timeout, self.isOnline) = (timeout, isOnline) }

  /// Whether the server sends to it and listens to it.
  var isSubscribed: Bool { if case .subscribed = phase { isWanted } else { false } }

  /// Whether a message for it is somebody's: also before the confirmation, which it may overtake.
  var takesMessages: Bool {
    switch phase {
    case .subscribing, .subscribed: isWanted
    case .absent, .leaving: false
    }
  }

  /// Whether nobody will miss it.
  var isForgettable: Bool {
    if case .absent = phase { !isWanted } else { false }
  }

  /// When `tick` is due; nil when it is not.
  var due: Duration? {
    switch phase {
    case .absent: nil
    case .subscribed: isWanted ? nil : lastCall.map { $0 + Self.coolDown }
    case .leaving(let until, _): until
    // Nobody waits for it: only the deadline counts.
    case .subscribing(let attempt): isWanted ? attempt.next : attempt.deadline
    }
  }

  // MARK: What is wanted

  /// Somebody wants it, perhaps again after a rejection.
  mutating func want(_ now: Duration) -> [Output] {
    let isBack = !isWanted
    isWanted = true
    verdict = nil
    // It has not left yet.
    if isBack, isSubscribed { return [.confirmed(reconnected: false)] }
    return settle(now)
  }

  /// A call of it was sent: an unsubscribe must not overtake it.
  mutating func noteCall(_ now: Duration) { lastCall = now }

  /// Nobody wants it any more.
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

  /// The server lets the connection in; it knows nothing of earlier ones.
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
    // A second confirmation.
    case .subscribed: return []
    case .subscribing(let attempt):
      // An unsubscribe is behind it: it is not true any more.
      if attempt.step == .forgetting { return [] }
      guard isWanted else { return leave(now) }
      phase = .subscribed
      defer { wasConfirmed = true }
      return [.confirmed(reconnected: wasConfirmed && isReconnect)]
    // Nobody asked for it, or not any more.
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

  /// Does what has become due.
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
        // Whatever the server still makes of it, nobody wants it.
        return leave(now) + news
      }
      return isWanted && attempt.next <= now ? ask(attempt, now) : []
    }
  }

  /// Asks again, at last in the way that starts a channel anew.
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
