/// The requests about states and actions.
extension InspectorSession {
  /// The most bytes of the actions of one step.
  private static let actionsLimit = 2 << 20

  /// The state of a composer after an event, the last one by default.
  private func state(of composer: Int, at event: Int?) throws -> (event: Int, state: any Sendable) {
    let record = try reader.composer(composer)
    if let event, event > 0, event < program.log.events.lowerBound {
      throw RPCError.dropped(event, first: program.log.events.lowerBound)
    }
    guard let found = program.log.withLock({ $0.state(of: record, at: event ?? .max) }) else {
      throw RPCError.unknown("state of composer", composer)
    }
    return (found.event, record.types.shown(state: found.state))
  }

  func state(_ params: Params.State) throws -> StateNode {
    let found = try state(of: params.composer, at: params.event)
    let path = try Self.checked(params.path ?? [])
    guard
      let node = reader.values.node(
        of: found.state, at: path, from: max(0, params.from ?? 0), count: params.count)
    else {
      throw RPCError.invalidParams("The state has no value at \(path.joined(separator: ".")).")
    }
    return StateNode(event: found.event, value: node)
  }

  /// The most names of a path.
  private static let pathLimit = 1_000

  private static func checked(_ path: [String]) throws(RPCError) -> [String] {
    guard path.count <= pathLimit else {
      throw .invalidParams("A path has at most \(pathLimit) names, not \(path.count).")
    }
    return path
  }

  func json(_ params: Params.State) throws -> JSONText {
    let found = try state(of: params.composer, at: params.event)
    let path = try Self.checked(params.path ?? [])
    return try describingErrors {
      if !path.isEmpty { return JSONText(text: try reader.values.json(of: found.state, at: path)) }
      return JSONText(text: try reader.values.json(of: found.state))
    }
  }

  func actions(_ params: Params.Event) throws -> JSONTexts {
    let event = try reader.event(params.event)
    guard event.head.step != nil else {
      throw RPCError.invalidParams("Event \(params.event) is not a step.")
    }
    return try describingErrors {
      var texts: [String] = []
      var byteCount = 0
      for action in event.actions {
        texts.append(try reader.values.json(of: action))
        byteCount += texts.last?.utf8.count ?? 0
        if byteCount > Self.actionsLimit { throw ValueError.tooLarge(limit: Self.actionsLimit) }
      }
      return JSONTexts(texts: texts)
    }
  }

  /// Calls `body`, and describes its errors without hidden values.
  private func describingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw RPCError.invalidParams(
        reader.values.redaction.hidingValues(inDescription: "\(error)", limit: 2_000) ?? "")
    }
  }

  func diff(_ params: Params.Diff) throws -> Differences {
    let old = try state(of: params.composer, at: params.from)
    let new = try state(of: params.composer, at: params.to)
    return reader.changes(from: old.state, to: new.state)
  }
}
