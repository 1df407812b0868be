/// Finds what has caused an event, and what the event has caused.
struct CauseFinder {
  let log: EventLog

  /// The maximum number of causes, and of effects.
  private static let limit = 200
  /// The maximum number of later events of the composer that are looked at.
  private static let reach = 100_000

  /// The number of the event that has caused `head`; nil for the first cause, and when it is dropped.
  func cause(of head: EventHead) -> Int? {
    let delivered = head.deliveredEvent.flatMap { log.events.contains($0) ? $0 : nil }
    // An effect that was started during the delivery is nearer than the message.
    return [delivered, namedCause(of: head)].compactMap(\.self).max()
  }

  /// The cause that the event itself names.
  private func namedCause(of head: EventHead) -> Int? {
    let composers = log.composers
    guard let composer = log.composer(head.source) else { return nil }
    return log.withLock { log in
      switch head.kind {
      case .step(_, .outside), .socket: nil
      case .step(_, .step(let step)), .started(_, .step(let step), _),
        .started(_, .middleware(let step), _):
        log.event(ofStep: step, of: composer)
      case .ended(_, let end, _) where end.step != nil:
        end.step.flatMap { log.event(ofStep: $0, of: composer) }
      case .step(_, .effect(let effect)), .ended(let effect, _, _):
        composer.ledger[effect]?.event
      case .step(_, .shared(let writer, let step)):
        step.flatMap { step in
          composers.lazy.filter { $0.name == writer }.compactMap {
            log.event(ofStep: step, of: $0)
          }.first
        }
      // The state that has the effect is that of the last step.
      case .started(_, .stateEffect, _): log.state(of: composer, at: head.number).map(\.event)
      case .started(_, .failure(let effect), _): composer.ledger[effect]?.event
      }
    }
  }

  /// The causes of an event, the nearest first.
  func causes(of head: EventHead) -> [Int] {
    var causes: [Int] = []
    var current = head
    var next = cause(of: head)
    while let number = next, number > 0, causes.count < Self.limit,
      let event = log.event(number)
    {
      causes.append(number)
      next = cause(of: event.head) ?? request(of: current, answeredBy: event.head)
      current = event.head
    }
    return causes
  }

  /// The start of the request whose reply, a message, has caused a step; nil for another message.
  private func request(of step: EventHead, answeredBy message: EventHead) -> Int? {
    guard case .socket(.received) = message.kind, case .step(_, .effect(let effect)) = step.kind,
      let composer = log.composer(step.source)
    else { return nil }
    let started = log.withLock { _ in composer.ledger[effect] }
    return started.flatMap { $0.name.kind == .request ? $0.event : nil }
  }

  /// The events that an event has caused, directly or not, each with its direct cause, in their order.
  func effects(of head: EventHead) -> (events: [(number: Int, cause: Int)], isCut: Bool) {
    let composers = Dictionary(grouping: log.composers, by: \.name)
    var chain = CausedEvents(head, composers.mapValues { $0.map(\.number) }, limit: Self.limit)
    let end = min(log.events.upperBound, head.number + 1 + Self.reach)
    var next = head.number + 1
    // Little by little, because the program waits for the lock.
    while next < end, !chain.isCut {
      let upper = min(end, next + 1_000)
      log.forEachHead(in: next..<upper) { chain.note($0) }
      next = upper
    }
    return (chain.found, chain.isCut || end < log.events.upperBound)
  }
}

/// The events that one event has caused, found in the order of the log.
private struct CausedEvents {
  private struct Key: Hashable {
    let source: Int
    let number: Int
  }

  private(set) var found: [(number: Int, cause: Int)] = []
  private(set) var isCut = false
  /// The numbers of the events of the steps and effects found until now.
  private var steps: [Key: Int] = [:]
  private var effects: [Key: Int] = [:]
  private var messages: Set<Int> = []
  /// The event of the last step of each source, and those of them that were found.
  private var lastSteps: [Int: Int] = [:]
  private var foundSteps: Set<Int> = []
  private let composers: [String: [Int]]
  private let limit: Int

  /// - Parameter composers: the numbers of the composers by their names.
  init(_ head: EventHead, _ composers: [String: [Int]], limit: Int) {
    (self.composers, self.limit) = (composers, limit)
    if head.step != nil { lastSteps[head.source] = head.number }
    add(head)
  }

  /// Adds an event if it was caused by one of those found until now.
  mutating func note(_ head: EventHead) {
    defer { if head.step != nil { lastSteps[head.source] = head.number } }
    guard !isCut, let cause = cause(of: head) else { return }
    if found.count == limit {
      isCut = true
      return
    }
    found.append((head.number, cause))
    add(head)
  }

  private func cause(of head: EventHead) -> Int? {
    let delivered = head.deliveredEvent.flatMap { messages.contains($0) ? $0 : nil }
    return [delivered, namedCause(of: head)].compactMap(\.self).max()
  }

  private func namedCause(of head: EventHead) -> Int? {
    func step(_ number: Int) -> Int? { steps[Key(source: head.source, number: number)] }
    func effect(_ number: Int) -> Int? { effects[Key(source: head.source, number: number)] }
    switch head.kind {
    case .step(_, .step(let number)), .started(_, .step(let number), _),
      .started(_, .middleware(let number), _):
      return step(number)
    case .ended(let number, let end, _): return end.step.map { step($0) } ?? effect(number)
    case .step(_, .effect(let number)),
      .started(_, .failure(let number), _):
      return effect(number)
    // The state that has the effect is that of the last step.
    case .started(_, .stateEffect, _):
      return lastSteps[head.source].flatMap { foundSteps.contains($0) ? $0 : nil }
    case .step(_, .shared(let writer, let number?)):
      return (composers[writer] ?? []).lazy
        .compactMap { steps[Key(source: $0, number: number)] }.first
    case .step, .socket: return nil
    }
  }

  private mutating func add(_ head: EventHead) {
    switch head.kind {
    case .step(let number, _):
      steps[Key(source: head.source, number: number)] = head.number
      foundSteps.insert(head.number)
    case .started(let number, _, _): effects[Key(source: head.source, number: number)] = head.number
    case .socket(.received): messages.insert(head.number)
    case .ended, .socket: break
    }
  }
}
