/// Describes the events of a log as rows and details.
struct EventReader: Sendable {
  let log: EventLog
  let values: ValueReader

  /// The event with this number.
  func event(_ number: Int) throws(RPCError) -> RecordedEvent {
    if let event = log.event(number) { return event }
    let events = log.events
    if number < events.lowerBound { throw .dropped(number, first: events.lowerBound) }
    throw .unknown("event", number)
  }

  /// The record of a composer.
  func composer(_ number: Int) throws(RPCError) -> ComposerRecord {
    guard let composer = log.composer(number) else { throw .unknown("composer", number) }
    return composer
  }

  /// The row of an event.
  ///
  /// - Parameter searched: text in lower case; the first change that has it is the first of the row.
  func row(of event: RecordedEvent, searched: String? = nil) -> Row {
    let head = event.head
    var row = Row(
      event: head.number, time: head.time.timeIntervalSince1970, kind: head.kind.name)
    if case .socket = head.kind { row.socket = head.source } else { row.composer = head.source }
    switch head.kind {
    case .step(let number, let source):
      row.step = number
      row.source = Cause(source)
      row.text = text(of: event.actions)
      row.change = event.change
      (row.changes, row.moreChanges) = changeLines(of: event)
      if let searched { moveFound(searched, of: event, in: &row) }
    case .started(let effect, let origin, let name):
      (row.effect, row.origin) = (effect, values.cause(of: origin))
      (row.id, row.effectKind) = (values.idText(of: name), name.kind?.name)
    case .ended(let effect, let end, let name):
      (row.effect, row.outcome) = (effect, end.outcome.name)
      row.error = values.errorText(of: end.outcome)
      row.by = end.step.map { Cause(ActionSource.step($0)) }
      (row.id, row.effectKind) = (values.idText(of: name), name.kind?.name)
    case .socket(let event):
      row.text = text(of: event)
      if event.byteCount > 0 { row.size = event.byteCount }
    }
    return row
  }

  /// Moves the first change that has a text to the beginning of a row, in place of its last one.
  private func moveFound(_ text: String, of event: RecordedEvent, in row: inout Row) {
    let shown = row.changes ?? []
    func hasText(_ line: String) -> Bool { line.lowercased().contains(text) }
    guard row.moreChanges ?? 0 > 0, !shown.contains(where: hasText),
      let found = changeLines(of: event, limit: Self.searchedChanges).lines.first(where: hasText)
    else { return }
    row.changes = [found] + shown.dropLast()
  }

  /// Whether the row of `event` has `text`, which is in lower case.
  func has(_ text: String, _ event: RecordedEvent) -> Bool {
    func isFound(_ part: String) -> Bool { part.lowercased().contains(text) }
    func isCauseFound(_ cause: Cause) -> Bool { cause.shownTexts.contains { isFound($0) } }
    /// `effect 5 run query started`.
    func title(_ effect: Int, _ name: EffectName, _ event: String) -> String {
      ["effect \(effect)", name.kind?.name, values.idText(of: name), event].compactMap(\.self)
        .joined(separator: " ")
    }
    if event.actions.contains(where: { isFound(values.shortText(of: $0)) }) { return true }
    if let change = event.change, isFound(change) { return true }
    switch event.head.kind {
    case .step(_, let source):
      if isCauseFound(Cause(source))
        || changeLines(of: event, limit: Self.searchedChanges).lines.contains(where: isFound)
      {
        return true
      }
    case .started(let effect, let origin, let name):
      if isFound(title(effect, name, "started")) || isCauseFound(values.cause(of: origin)) {
        return true
      }
    case .ended(let effect, let end, let name):
      let by = end.step.map { " by step \($0)" } ?? ""
      let error = values.errorText(of: end.outcome).map { ": \($0)" } ?? ""
      if isFound(title(effect, name, end.outcome.name + by + error)) { return true }
    case .socket(let event): if isFound(self.text(of: event)) { return true }
    }
    return log.source(event.head.source).map { isFound($0.name) } ?? false
  }

  /// The most changes between two states that are listed.
  static let changeLimit = 200

  /// The most changes of a step in which a text is searched.
  private static let searchedChanges = 100

  /// The most actions of a step that are described; a group may have any number.
  private static let actionLimit = 20

  private func text(of actions: [any Sendable]) -> String {
    let texts = actions.prefix(Self.actionLimit).map { values.shortText(of: $0) }
    let others = actions.count - texts.count
    return texts.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
  }

  /// The row of an event with all its values, but for actions past the limit.
  func detail(of event: RecordedEvent) -> EventDetail {
    let found = changes(from: event.before, to: event.after)
    let actions = event.actions.prefix(Self.actionLimit)
    return EventDetail(
      row: row(of: event), action: actions.compactMap { values.node(of: $0) },
      changes: found.changes, moreChanges: found.moreChanges)
  }

  /// The changes between two states; none when one of them is not known.
  func changes(
    from old: (any Sendable)?, to new: (any Sendable)?, limit: Int = Self.changeLimit
  ) -> Differences {
    guard let old, let new else { return Differences(changes: [], moreChanges: 0) }
    let found = values.changes(from: old, to: new, limit: limit)
    return Differences(changes: found.changes, moreChanges: found.others)
  }

  private func changeLines(
    of event: RecordedEvent, limit: Int = 3
  ) -> (lines: [String], others: Int) {
    guard let old = event.before, let new = event.after else { return ([], 0) }
    return values.changeLines(from: old, to: new, limit: limit)
  }
}

extension ValueReader {
  /// The most bytes of an error or of an id.
  private static let textLimit = 2_000

  /// The text of the error of an effect; nil when it has not failed.
  func errorText(of outcome: EffectOutcome?) -> String? {
    redaction.hidingValues(inDescription: outcome?.error, limit: Self.textLimit)
  }

  /// The origin of an effect.
  func cause(of origin: EffectOrigin) -> Cause {
    var cause = Cause(origin)
    cause.id = redaction.hidingValues(inDescription: cause.id, limit: Self.textLimit)
    return cause
  }

  /// The text of the id of an effect; nil for one without.
  func idText(of name: EffectName) -> String? {
    redaction.hidingValues(inDescription: name.id, limit: Self.textLimit)
  }
}

extension EventHead.Kind {
  /// The name in the protocol.
  var name: String {
    switch self {
    case .step: "step"
    case .started: "started"
    case .ended: "ended"
    case .socket(.received): "received"
    case .socket(.sent): "sent"
    case .socket: "socket"
    }
  }
}
