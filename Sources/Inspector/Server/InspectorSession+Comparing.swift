/// The comparison of two composers.
extension InspectorSession {
  /// The most steps that are compared.
  private static let comparedSteps = 10_000
  /// The steps that are compared before other tasks have their turns.
  private static let stepsOfTurn = 100

  func compare(_ params: Params.Compare) async throws -> Comparison {
    guard params.composers.count == 2 else {
      throw RPCError.invalidParams("Two composers are compared, not \(params.composers.count).")
    }
    let records = try params.composers.map { try reader.composer($0) }
    let steps = [0, 1].map { index in
      // A fork begins with the state after an event of the other one: what follows is compared.
      let origin = records[1 - index].forkedFrom.withLock { $0 }
      let start = origin?.composer == records[index].number ? origin?.event : nil
      return self.steps(of: records[index], (start ?? 0) + 1 ... .max)
    }
    let count = max(steps[0].count, steps[1].count)
    for position in 0..<min(count, Self.comparedSteps) {
      if position.isMultiple(of: Self.stepsOfTurn) { await Task.yield() }
      let events = try steps.map { steps -> RecordedEvent? in
        try position < steps.count ? reader.event(steps[position]) : nil
      }
      if let difference = try difference(at: position, between: events, of: records) {
        return Comparison(equalSteps: position, difference: difference, isCut: false)
      }
    }
    return Comparison(
      equalSteps: min(count, Self.comparedSteps), difference: nil,
      isCut: count > Self.comparedSteps)
  }

  /// What differs between two steps; nil when they are equal.
  private func difference(
    at position: Int, between events: [RecordedEvent?], of records: [ComposerRecord]
  ) throws -> Comparison.Difference? {
    let areOfFiles = records.map(\.types.isOfFile)
    // A composer of the program is compared with one of a file as JSON.
    func shown(_ index: Int, _ value: any Sendable) throws -> any Sendable {
      areOfFiles[0] == areOfFiles[1] || areOfFiles[index]
        ? value : try json(of: value, in: records[index])
    }
    let actions = try [0, 1].map { index in
      try events[index]?.actions.map { try shown(index, $0) }
    }
    let states = try [0, 1].map { index in try events[index]?.after.map { try shown(index, $0) } }
    let ofActions = changes(from: actions[0], to: actions[1])
    let ofStates = reader.changes(from: states[0], to: states[1])
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

  /// The value as the JSON of a file would be shown.
  private func json(of value: any Sendable, in record: ComposerRecord) throws -> any Sendable {
    guard value is any Encodable else { throw RecordingError.notCodable(composer: record.name) }
    return try AnyJSON(parsing: reader.values.json(of: value)).plain
  }
}
