#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One client: answers its requests in their order, and notifies it.
actor InspectorSession {
  private let socket: WebSocket
  let program: InspectedProgram
  private var hasSaidHello = false
  private var lists: [Int: EventList] = [:]
  private var lastQuery = 0
  private var progress: [Int: QueryProgress] = [:]
  private(set) var views: [Params.View: Params.Subscribe] = [:]
  private(set) var tickCount = 0
  let watches = StreamWatches()
  var isReadingStreams = false
  /// The tick from which on the list of streams may be sent again.
  var nextStreamsTick = 0
  var sentStreams: StreamList?
  var sentClocks: ClockList?

  /// The most bytes of a request.
  static let requestLimit = 1 << 20
  /// The most bytes of a message; a longer one ends the connection.
  static let messageLimit = 4 << 20
  /// The most lists of one client.
  private static let listLimit = 32
  /// The unsent bytes from which on nothing is notified.
  private static let sendLimit = 256 << 10
  /// How long the lists are searched between two notifications, all together.
  private static let searchTime = Duration.milliseconds(200)
  /// The time between two notifications.
  private static let tick = RxTimeInterval.milliseconds(200)

  init(_ socket: WebSocket, _ program: InspectedProgram) {
    (self.socket, self.program) = (socket, program)
  }

  /// Serves the client until it or the task ends.
  func run(_ scheduler: any SchedulerType) async {
    let ticks = Task {
      for try await _ in Observable<Int>.interval(Self.tick, scheduler: scheduler).values {
        await notify()
      }
    }
    defer {
      ticks.cancel()
      watches.stop()
    }
    do {
      for try await message in socket.values {
        guard case .text(let text) = message else { return socket.close(code: .unsupportedData) }
        if let answer = await answer(to: Data(text.utf8)) {
          try await socket.sendWhenWritable(answer)
        }
      }
    } catch {
      // The connection has ended, which the client knows.
      socket.drop()
    }
  }

  // MARK: Requests

  /// The answer to a message; nil for a notification.
  func answer(to message: Data) async -> String? {
    let head: RPCHead
    do {
      guard message.count <= Self.requestLimit else {
        return text(RPCFailure(id: RPCIdentifier(in: message), error: .tooLong(Self.requestLimit)))
      }
      do {
        try AnyJSON.checkNesting(of: message)
      } catch let error as AnyJSON.TooDeep {
        return text(RPCFailure(id: RPCIdentifier(in: message), error: .tooDeep(error.limit)))
      } catch {
        // A zero byte: the decoder would take the message for UTF-16, whose levels are not checked.
        return text(RPCFailure(id: nil, error: .notJSON))
      }
      head = try JSONDecoder().decode(RPCHead.self, from: message)
    } catch {
      let isJSON = (try? JSONDecoder().decode(AnyJSON.self, from: message)) != nil
      return text(RPCFailure(id: nil, error: isJSON ? .notARequest : .notJSON))
    }
    guard head.jsonrpc == "2.0" else {
      return text(RPCFailure(id: head.id, error: .notARequest))
    }
    let id = head.id ?? .number(0)
    let answer: String
    do {
      answer = try await perform(head.method, message, id)
    } catch let error as RPCError {
      answer = text(RPCFailure(id: id, error: error))
    } catch let error as DecodingError {
      answer = text(RPCFailure(id: id, error: RPCError(error)))
    } catch {
      answer = text(RPCFailure(id: id, error: .invalidParams("\(error)")))
    }
    return head.id == nil ? nil : answer
  }

  private func perform(_ method: String, _ message: Data, _ id: RPCIdentifier) async throws
    -> String
  {
    func params<P: Decodable>(_ type: P.Type) throws -> P {
      try JSONDecoder().decode(RPCParams<P>.self, from: message).params
    }
    func result(_ value: some Encodable) -> String { text(RPCResult(id: id, result: value)) }

    if method == "hello" { return result(try hello(params(Params.Hello.self))) }
    guard hasSaidHello else { throw RPCError.helloIsMissing }
    switch method {
    case "composers": return result(composers())
    case "clocks": return result(clocks())
    case "pauseClock": return result(try pauseClock(params(Params.Clock.self)))
    case "resumeClock": return result(try resumeClock(params(Params.Clock.self)))
    case "stepClock": return result(try stepClock(params(Params.StepClock.self)))
    case "open": return result(try open(params(Params.Open.self)))
    case "rows": return result(try rows(params(Params.Rows.self)))
    case "find": return result(try find(params(Params.Find.self)))
    case "close": return result(try close(params(Params.Query.self)))
    case "event": return result(try event(params(Params.Event.self)))
    case "message": return result(try content(params(Params.Event.self)))
    case "why": return result(try why(params(Params.Event.self)))
    case "state": return result(try state(params(Params.State.self)))
    case "json": return result(try json(params(Params.State.self)))
    case "actions": return result(try actions(params(Params.Event.self)))
    case "diff": return result(try diff(params(Params.Diff.self)))
    case "effects": return result(try effects(params(Params.Effects.self)))
    case "subscribe": return result(try subscribe(params(Params.Subscribe.self)))
    case "unsubscribe": return result(try unsubscribe(params(Params.Unsubscribe.self)))
    case "send": return result(try send(params(Params.Send.self)))
    case "sockets":
      let params = try JSONDecoder().decode(RPCOptionalParams<Params.Sockets>.self, from: message)
      return result(sockets(params.params ?? .all))
    case "servers": return result(servers())
    case "streams": return result(await streams())
    case "watch": return result(try watch(params(Params.Stream.self)))
    case "unwatch": return result(try unwatch(params(Params.Stream.self)))
    case "slow": return result(try slow(params(Params.Slow.self)))
    case "cut": return result(try cut(params(Params.Socket.self)))
    case "fork": return result(try fork(params(Params.Fork.self)))
    case "endFork": return result(try endFork(params(Params.Composer.self)))
    case "export": return result(try export(params(Params.Export.self)))
    case "compare": return result(try await compare(params(Params.Compare.self)))
    case "template": return result(try template(params(Params.Template.self)))
    default: throw RPCError.unknownMethod(method)
    }
  }

  var reader: EventReader { program.reader }

  /// Whether the client still waits for answers.
  var isOpen: Bool { socket.state == .connected }

  private func hello(_ params: Params.Hello) throws -> Hello {
    guard params.version == Hello.version else {
      throw RPCError.unsupportedVersion(params.version)
    }
    hasSaidHello = true
    let process = ProcessInfo.processInfo
    return Hello(
      program: process.processName, process: Int(process.processIdentifier),
      canAct: program.canAct, started: program.started.timeIntervalSince1970)
  }

  private func composers() -> ComposerList {
    let now = program.clock.now
    let composers = program.log.composers.map { record in
      let (steps, rate, running) = program.log.withLock { _ in
        (record.stepCount, record.stepsPerSecond(at: now), record.runningEffectCount)
      }
      return ComposerList.Composer(
        composer: record.number, name: record.name, type: record.typeName, isLive: record.isLive,
        steps: steps, stepsPerSecond: rate, queue: record.types.queueDepth, running: running,
        actions: record.types.actionNames,
        canSend: program.canAct && record.isLive && record.types.actionType is any Decodable.Type,
        canFork: program.canAct && record.types.canFork, canExport: record.types.canExport,
        fork: record.forkedFrom.withLock { $0 }.map {
          ComposerList.ForkOrigin(composer: $0.composer, event: $0.event)
        },
        clock: record.types.virtualClock,
        children: record.types.children.map { ComposerList.Child($0) })
    }
    return ComposerList(composers: composers)
  }

  private func open(_ params: Params.Open) throws -> OpenedQuery {
    guard lists.count < Self.listLimit else {
      throw RPCError.invalidParams("\(Self.listLimit) lists are open. Close one of them.")
    }
    lastQuery += 1
    lists[lastQuery] = EventList(params.filter ?? EventFilter())
    return OpenedQuery(query: lastQuery)
  }

  private func rows(_ params: Params.Rows) throws -> RowPage {
    guard let list = lists[params.query] else { throw RPCError.unknown("query", params.query) }
    let from = min(max(0, params.from), list.count)
    let wanted = from..<(from + min(max(0, params.count), 500, list.count - from))
    let events = wanted.compactMap { position in list[position].flatMap { program.log.event($0) } }
    // The oldest positions of the page may have been dropped.
    return RowPage(
      from: wanted.upperBound - events.count,
      rows: events.map { reader.row(of: $0, searched: list.filter.searchedText) })
  }

  private func find(_ params: Params.Find) throws -> FoundPosition {
    guard let list = lists[params.query] else { throw RPCError.unknown("query", params.query) }
    let position = list.position(of: params.event)
    return FoundPosition(position: position, isExact: list[position] == params.event)
  }

  private func close(_ params: Params.Query) throws -> Empty {
    guard lists.removeValue(forKey: params.query) != nil else {
      throw RPCError.unknown("query", params.query)
    }
    progress[params.query] = nil
    return Empty()
  }

  private func event(_ params: Params.Event) throws -> EventDetail {
    try reader.detail(of: reader.event(params.event))
  }

  private func why(_ params: Params.Event) throws -> CausesAndEffects {
    let event = try reader.event(params.event)
    let finder = CauseFinder(log: program.log)
    let caused = finder.effects(of: event.head)
    let byCause = Dictionary(grouping: caused.events, by: \.cause)
    func branches(of cause: Int) -> [CausesAndEffects.Branch] {
      (byCause[cause] ?? []).compactMap { caused in
        program.log.event(caused.number).map { event in
          CausesAndEffects.Branch(row: reader.row(of: event), children: branches(of: caused.number))
        }
      }
    }
    return CausesAndEffects(
      causes: finder.causes(of: event.head)
        .compactMap { program.log.event($0) }.map { reader.row(of: $0) },
      effects: branches(of: event.head.number), isCut: caused.isCut)
  }

  private func effects(_ params: Params.Effects) throws -> EffectsPage {
    let records = try params.composers.map { try Set($0).sorted().map { try reader.composer($0) } }
    return effects(of: records ?? program.log.composers, params)
  }

  private func effects(of records: [ComposerRecord], _ params: Params.Effects) -> EffectsPage {
    let limit = min(max(0, params.limit ?? 500), 5_000)
    // Only those of the page are described.
    var all: [(effect: EffectLedger.Effect, record: ComposerRecord)] = []
    for record in records {
      let ledger = program.log.withLock { _ in record.ledger }
      if params.isRunning == true, record.types.isOfFile { continue }
      all += ledger.running.values.map { ($0, record) }
      if params.isRunning == true { continue }
      all += ledger.ended.values.map { ($0, record) }
    }
    all.sort { $0.effect.event > $1.effect.event }
    let page = all.prefix(limit).map { effect, record in
      EffectsPage.Effect(
        effect, of: record.number, at: record.types.now ?? program.clock.now,
        fileEnd: fileEnd(of: record), reader.values)
    }
    return EffectsPage(effects: page, moreEffects: max(0, all.count - limit))
  }

  /// The time of the last event of a file; nil for a composer of the program.
  private func fileEnd(of record: ComposerRecord) -> Date? {
    guard record.types.isOfFile else { return nil }
    return program.log.withLock { log in
      log.lastEvent(of: record, at: .max).map { log[$0].time } ?? .distantPast
    }
  }

  private func subscribe(_ params: Params.Subscribe) throws -> Empty {
    for composer in Set(params.composers ?? []) { _ = try reader.composer(composer) }
    views[params.view] = params
    if params.view == .clocks { sentClocks = nil }
    if params.view == .streams {
      watches.keepLastElements()
      (nextStreamsTick, sentStreams) = (0, nil)
    }
    return Empty()
  }

  private func unsubscribe(_ params: Params.Unsubscribe) throws -> Empty {
    views[params.view] = nil
    if params.view == .streams { watches.releaseLastElements() }
    return Empty()
  }

  // MARK: Notifications

  /// Searches the lists, and notifies the client of what has changed, unless it is slow.
  private func notify() async {
    tickCount += 1
    await search()
    guard socket.metrics.queuedBytes < Self.sendLimit else { return }
    let events = program.log.events
    for (query, list) in lists.sorted(by: { $0.key < $1.key }) {
      let now = QueryProgress(
        query: query, count: list.count, dropped: list.droppedCount,
        searched: list.searchedPart(of: events))
      guard progress[query] != now else { continue }
      progress[query] = now
      notify("query", now)
    }
    notifyClocks()
    notifyStreams()
    // With many composers or sockets less often: each is read and described.
    let sources = program.log.sources
    guard tickCount.isMultiple(of: 1 + sources.count / 100) else { return }
    if views[.composers] != nil {
      for case let composer as ComposerRecord in sources { composer.types.readChildren() }
      notify("composers", composers())
    }
    if let wanted = views[.effects]?.effects {
      // A composer that has ended is forgotten some time after its last event.
      let records = wanted.composers.map { numbers in
        Set(numbers).sorted().compactMap { program.log.composer($0) }
      }
      notify("effects", effects(of: records ?? program.log.composers, wanted))
    }
    if let wanted = views[.sockets] { notify("sockets", sockets(wanted.sockets)) }
    if views[.servers] != nil { notify("servers", servers()) }
  }

  /// Searches the lists for some time; more is found with the next notification.
  private func search() async {
    let end = ContinuousClock.now + Self.searchTime
    while ContinuousClock.now < end {
      // In place: a copy of a long list takes longer than the search.
      let unfinished = lists.keys.sorted().filter { query in
        if ContinuousClock.now >= end { return true }
        return lists[query]?.search(program.log, hasText: { reader.has($0, $1) }) == true
      }
      if unfinished.isEmpty || Task.isCancelled { return }
      // Requests have their turns meanwhile.
      await Task.yield()
    }
  }

  func notify(_ method: String, _ params: some Encodable) {
    try? socket.send(text(RPCNotification(method: method, params: params)))
  }

  private func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    // The times of a virtual clock are any numbers.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      preconditionFailure("A message of the protocol is not encodable: \(error)")
    }
  }
}
