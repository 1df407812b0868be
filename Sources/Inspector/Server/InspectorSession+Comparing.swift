/// The comparison of two composers.
extension InspectorSession {
  /// The most steps that are compared.
  private static let comparedSteps = 10_000
  /// The steps that are compared before other tasks have their turns.
  private static let stepsOfTurn = 100
  /// The most differing parts of two states that are looked at, when only some of them are compared.
  private static let comparedParts = 2_000

  func compare(_ params: Params.Compare) async throws -> Comparison {
    guard params.composers.count == 2 else {
      throw RPCError.invalidParams("Two composers are compared, not \(params.composers.count).")
    }
    let records = try params.composers.map { try reader.composer($0) }
    let steps = comparedSteps(of: records, params.sources)
    let count = max(steps[0].count, steps[1].count)
    for position in 0..<min(count, Self.comparedSteps) {
      if position.isMultiple(of: Self.stepsOfTurn) { await Task.yield() }
      let events = try steps.map { steps -> RecordedEvent? in
        try position < steps.count ? reader.event(steps[position]) : nil
      }
      let found = try difference(
        at: position, between: events, of: records, isOfParts: params.sources != nil)
      if let found { return Comparison(equalSteps: position, difference: found, isCut: false) }
    }
    return Comparison(
      equalSteps: min(count, Self.comparedSteps), difference: nil,
      isCut: count > Self.comparedSteps)
  }

  /// The numbers of the events of the steps that are compared, those at the same position with each other.
  ///
  /// - Parameter sources: the kinds of source that the steps have; nil for all.
  private func comparedSteps(
    of records: [ComposerRecord], _ sources: Set<EventFilter.Source>?
  ) -> [[Int]] {
    // A fork begins with the state after an event of the other one: what follows is compared.
    let origins = records.map { record in record.forkedFrom.withLock { $0 } }
    let starts = [0, 1].map { index in
      let origin = origins[1 - index]
      return origin?.composer == records[index].number ? origin?.event : nil
    }
    let isOfFork = starts.contains { $0 != nil }
    let filter = EventFilter(sources: sources)
    return program.log.withLock { log in
      var events = zip(records, starts).map { record, start in
        log.events(of: record, in: (start ?? 0) + 1 ... .max).filter { number in
          log[number].event.step.map { !$0.isStateBeforeFile(of: record) } ?? false
        }
      }
      // A part of a recording, and what is left of a long run, begin with a later step.
      let numbers = events.map { $0.first.flatMap { log[$0].event.step?.number } ?? 1 }
      let first = numbers.max() ?? 1
      if !isOfFork {
        events = events.map { $0.filter { log[$0].event.step?.number ?? 0 >= first } }
      }
      return events.map { $0.filter { filter.matches(log[$0]) } }
    }
  }

  /// What differs between two steps; nil when they are equal.
  ///
  /// - Parameter isOfParts: whether only the parts of the states that the steps have changed are compared.
  private func difference(
    at position: Int, between events: [RecordedEvent?], of records: [ComposerRecord],
    isOfParts: Bool
  ) throws -> Comparison.Difference? {
    let areOfFiles = records.map(\.types.isOfFile)
    // A composer of the program is compared with one of a file as JSON.
    func asJSON(_ index: Int, _ value: any Sendable) throws -> AnyJSON? {
      areOfFiles[0] == areOfFiles[1] || areOfFiles[index]
        ? nil : try json(of: value, in: records[index])
    }
    func shown(state: any Sendable, _ index: Int) throws -> any Sendable {
      try asJSON(index, state)?.shown(as: "State") ?? state
    }
    let actions = try [0, 1].map { index in
      try events[index]?.actions.map { try asJSON(index, $0)?.shownAction() ?? $0 }
    }
    let states = try [0, 1].map { index in
      try events[index]?.after.map { try shown(state: $0, index) }
    }
    let ofActions = changes(from: actions[0], to: actions[1])
    let limit = isOfParts ? Self.comparedParts : EventReader.changeLimit
    var ofStates = reader.changes(from: states[0], to: states[1], limit: limit)
    if isOfParts {
      let changed = try [0, 1].map { index in
        let before = try events[index]?.before.map { try shown(state: $0, index) }
        return reader.changes(from: before, to: states[index], limit: limit)
      }
      ofStates = ofStates.inside(changed)
    }
    let isEqual = ofActions.isEmpty && ofStates.isEmpty
    if isEqual, events.allSatisfy({ $0 != nil }) { return nil }
    return Comparison.Difference(
      position: position, rows: events.map { $0.map { reader.row(of: $0) } },
      changes: ofStates.changes, moreChanges: ofStates.moreChanges,
      actionChanges: ofActions.changes, moreActionChanges: ofActions.moreChanges,
      advice: adviceOnOwnValues(states[0] as Any, states[1] as Any))
  }

  /// The changes between the actions of two steps; without a position when each has one.
  private func changes(
    from old: [any Sendable]?, to new: [any Sendable]?
  ) -> Differences {
    guard let old, let new, old.count == 1, new.count == 1 else {
      return reader.changes(from: old, to: new)
    }
    return reader.changes(from: old[0], to: new[0])
  }

  /// The value as the JSON of a file.
  private func json(of value: any Sendable, in record: ComposerRecord) throws -> AnyJSON {
    guard value is any Encodable else { throw RecordingError.notCodable(composer: record.name) }
    return try AnyJSON(parsing: reader.values.json(of: value))
  }
}

extension RecordedStep {
  /// Whether this is the first line of a part of a recording, which only has the state before the part.
  fileprivate func isStateBeforeFile(of record: ComposerRecord) -> Bool {
    record.types.isOfFile && change == "state" && actions.isEmpty && source == .outside
  }
}

extension Differences {
  /// The changes inside the parts that others have changed, or around them.
  fileprivate func inside(_ others: [Differences]) -> Differences {
    let limit = EventReader.changeLimit
    let parts = others.flatMap { $0.changes.map(\.names) }
    let found = changes.filter { change in
      parts.contains { $0.starts(with: change.names) || change.names.starts(with: $0) }
    }
    return Differences(
      changes: Array(found.prefix(limit)), moreChanges: max(0, found.count - limit))
  }
}
