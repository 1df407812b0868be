/// The requests that change the program.
extension InspectorSession {
  func send(_ params: Params.Send) throws -> Empty {
    let record = try reader.composer(params.composer)
    try checkActing()
    guard record.isLive else { throw RPCError.cannotAct("\(record.name) has ended.") }
    let action: any Sendable
    do throws(ActionProblem) {
      action = try ActionDecoder.action(record.types.actionType, from: params.action)
    } catch {
      throw RPCError.invalidParams(error.message)
    }
    record.types.send(action)
    return Empty()
  }

  func template(_ params: Params.Template) throws -> Template {
    // It runs the `init(from:)` of the action.
    try checkActing()
    let record = try reader.composer(params.composer)
    guard let type = record.types.actionType as? any Decodable.Type else {
      throw RPCError.cannotAct("The actions of \(record.name) are not Codable.")
    }
    let wanted = (params.choices ?? []).map { ($0.path, $0.name) }
    guard
      let template = ActionTemplate.template(
        of: type, caseNamed: params.name,
        choosing: Dictionary(wanted, uniquingKeysWith: { $1 }))
    else { throw RPCError.invalidParams("There is no template of \(params.name).") }
    return template
  }

  func cut(_ params: Params.Socket) throws -> Empty {
    try checkActing()
    try socketRecord(params.socket).cut()
    return Empty()
  }

  /// The longest delay of a connection, in milliseconds.
  private static let delayLimit = 60_000

  func slow(_ params: Params.Slow) throws -> Empty {
    try checkActing()
    let record = try socketRecord(params.socket)
    guard (0...Self.delayLimit).contains(params.milliseconds) else {
      throw RPCError.invalidParams(
        "A delay has 0 to \(Self.delayLimit) milliseconds, not \(params.milliseconds).")
    }
    guard record.slow(by: .milliseconds(params.milliseconds)) else {
      throw RPCError.cannotAct("\(record.name) is not connected.")
    }
    return Empty()
  }

  private func socketRecord(_ number: Int) throws(RPCError) -> SocketRecord {
    guard let record = program.log.source(number) as? SocketRecord else {
      throw .unknown("socket", number)
    }
    return record
  }

  func fork(_ params: Params.Fork) throws -> CreatedComposer {
    try checkActing()
    let record = try reader.composer(params.composer)
    guard record.types.canFork else {
      throw RPCError.cannotAct(
        "\(record.name) cannot be forked. Add it to the inspector with a closure that creates another."
      )
    }
    let first = program.log.events.lowerBound
    if params.event > 0, params.event < first {
      throw RPCError.dropped(params.event, first: first)
    }
    guard params.event == 0 || program.log.events.contains(params.event) else {
      throw RPCError.unknown("event", params.event)
    }
    guard let fork = program.fork(record, at: params.event) else {
      throw RPCError.unknown("state of composer", params.composer)
    }
    return CreatedComposer(composer: fork.number)
  }

  func endFork(_ params: Params.Composer) throws -> Empty {
    try checkActing()
    guard program.endFork(params.composer) else { throw RPCError.unknown("fork", params.composer) }
    return Empty()
  }

  func checkActing() throws(RPCError) {
    guard program.canAct else {
      throw .cannotAct("Acting is turned off. Set canAct in the configuration.")
    }
  }
}
