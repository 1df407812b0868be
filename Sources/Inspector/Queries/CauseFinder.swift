/// Finds what has caused an event, and what the event has caused.
struct CauseFinder {
  let log: EventLog

  /// The maximum number of causes, and of effects.
  private static let limit = 200
  /// The maximum number of later events of the composer that are looked at.
  private static let reach = 100_000

  /// The number of the event that has caused `head`; nil for the first cause, and when it is dropped.
  func cause(of head: EventHead) -> Int? {
    let composers = log.composers
    guard let composer = log.composer(head.composer) else { return nil }
    return log.withLock {
      switch head.kind {
      case .step(_, .outside): nil
      case .step(_, .step(let step)), .started(_, .step(let step), _),
        .started(_, .middleware(let step), _):
        composer.event(ofStep: step)
      case .step(_, .effect(let effect)), .ended(let effect, _): composer.ledger[effect]?.event
      case .step(_, .shared(let writer, let step)):
        step.flatMap { step in
          composers.lazy.filter { $0.name == writer }.compactMap { $0.event(ofStep: step) }.first
        }
      // The state that has the effect is that of the last step.
      case .started(_, .stateEffect, _): composer.state(at: head.number).map(\.event)
      case .started(_, .failure(let effect), _): composer.ledger[effect]?.event
      }
    }
  }

  /// The causes of an event, the nearest first.
  func causes(of head: EventHead) -> [Int] {
    var causes: [Int] = []
    var next = cause(of: head)
    while let number = next, number > 0, causes.count < Self.limit,
      let event = log.event(number)
    {
      causes.append(number)
      next = cause(of: event.head)
    }
    return causes
  }

  /// The events that an event has caused, directly or not, each with its direct cause, in their order.
  func effects(of head: EventHead) -> (events: [(number: Int, cause: Int)], isCut: Bool) {
    guard let composer = log.composer(head.composer) else { return ([], false) }
    var found: [(number: Int, cause: Int)] = []
    var isCut = false
    // By their numbers in the composer: those caused until now.
    var steps: [Int: Int] = [:]
    var effects: [Int: Int] = [:]
    note(head)
    var seenCount = 0
    log.withLock {
      composer.forEachHead(from: head.number + 1) { later in
        seenCount += 1
        let cause: Int? =
          switch later.kind {
          case .step(_, .step(let step)), .started(_, .step(let step), _),
            .started(_, .middleware(let step), _):
            steps[step]
          case .step(_, .effect(let effect)), .ended(let effect, _),
            .started(_, .failure(let effect), _):
            effects[effect]
          case .step, .started: nil
          }
        guard let cause else { return seenCount < Self.reach }
        if found.count == Self.limit {
          isCut = true
          return false
        }
        found.append((later.number, cause))
        note(later)
        return seenCount < Self.reach
      }
    }
    return (found, isCut || seenCount == Self.reach)

    func note(_ head: EventHead) {
      switch head.kind {
      case .step(let number, _): steps[number] = head.number
      case .started(let effect, _, _): effects[effect] = head.number
      case .ended: break
      }
    }
  }
}
