#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The program as the inspector knows it: its composers and sockets, and their events.
final class InspectedProgram: Sendable {
  let log: EventLog
  let reader: EventReader
  let streams: StreamReader
  let virtualClocks: VirtualClocks
  /// Whether clients may act.
  let canAct: Bool
  let started: Date

  private struct KnownStore {
    weak var store: StoreCore?
    var number: Int?
  }

  private struct KnownSocket {
    weak var socket: (any TappedSocket)?
    let record: SocketRecord
  }

  // By identity: each is observed once. They are removed when they end; an identity may then be that of
  // another object.
  private let stores = Locked<[ObjectIdentifier: KnownStore]>([:])
  private let sockets = Locked<[ObjectIdentifier: KnownSocket]>([:])
  /// The clock of sockets and rates.
  let clock: any SchedulerType
  /// Whether sockets are recorded from their first event on, without being added.
  private let observesAll: Bool

  init(_ configuration: InspectorConfiguration) {
    log = EventLog(byteLimit: configuration.byteLimit)
    let values = ValueReader(redaction: configuration.redaction)
    reader = EventReader(log: log, values: values)
    streams = StreamReader(values)
    virtualClocks = VirtualClocks(startsPaused: configuration.pausesVirtualClocks)
    canAct = configuration.canAct
    clock = configuration.scheduler
    started = clock.now
    observesAll = configuration.observesAll
  }

  /// Ends the recording.
  func stop() {
    for source in log.sources { source.stop() }
    virtualClocks.stop()
    log.close()
    // Released here, without the lock: composers end.
    _ = forks.replace(with: [:])
  }

  // MARK: Forks and files

  private let forks = Locked<[Int: Fork]>([:])

  /// The most events after that of a fork whose drawn values the fork gets.
  private static let repeatedEvents = 10_000

  /// Creates a composer from the state of another one after an event; nil when that is not possible.
  func fork(_ record: ComposerRecord, at event: Int) -> ComposerRecord? {
    guard let found = log.withLock({ $0.state(of: record, at: event) }) else { return nil }
    let steps = log.withLock { log in
      log.events(of: record, in: event + 1 ... .max).prefix(Self.repeatedEvents)
        .compactMap { log[$0].event.step }
    }
    guard let fork = record.types.fork(with: found.state, before: steps),
      let forked = fork.record(in: self)
    else { return nil }
    forked.forkedFrom.withLock { $0 = (record.number, event) }
    forks.withLock { $0[forked.number] = fork }
    return forked
  }

  /// Releases a fork; returns false for a composer that is none.
  func endFork(_ number: Int) -> Bool {
    let fork = forks.withLock { $0.removeValue(forKey: number) }
    return fork != nil
  }

  /// Adds the composer of a file, and returns its record.
  func addRecording(
    _ lines: String, name: String, while isWanted: () -> Bool = { true }
  ) throws(RecordingError) -> ComposerRecord {
    var events: [TraceEvent<AnyJSON, AnyJSON>] = []
    var typeName: String?
    // Not by characters, of which CRLF is one.
    let parts = lines.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in parts.enumerated() where line.contains(where: { $0 > 0x20 }) {
      guard isWanted() else { throw .notWanted }
      do {
        try AnyJSON.checkNesting(of: line)
        let data = Data(line)
        if events.isEmpty, (try? JSONDecoder().decode([String: Int].self, from: data)) != nil {
          continue
        }
        if events.isEmpty { typeName = RecordedType.name(in: data) }
        events.append(try JSONDecoder().decode(TraceEvent<AnyJSON, AnyJSON>.self, from: data))
      } catch {
        throw .malformed(line: index + 1)
      }
    }
    let record = log.add {
      ComposerRecord(
        TypesOfComposer<AnyJSON, AnyJSON>(nil), name: name, typeName: typeName, number: $0, in: log,
        at: clock.now)
    }
    for event in events {
      // Their states share nothing, and may be of any size.
      log.append(
        event.recorded(hiding: reader.values.redaction), of: record, at: event.time,
        bytes: event.retainedBytes, keepsSource: true)
    }
    record.end()
    return record
  }

  // MARK: Servers

  private struct KnownServer {
    weak var server: (any TappedServer)?
    let identifier: ObjectIdentifier

    init(_ server: any TappedServer) { (self.server, identifier) = (server, server.identifier) }
  }

  private let knownServers = Locked<[KnownServer]>([])

  /// The servers that listen.
  var servers: [any TappedServer] {
    let known = knownServers.withLock { $0 }
    let servers = known.compactMap(\.server)
    if servers.count < known.count {
      knownServers.withLock { $0 = servers.map { KnownServer($0) } }
    }
    return servers.filter(\.isListening)
  }

  /// Shows a server from now on.
  func add(_ server: any TappedServer) {
    if servers.contains(where: { $0 === server }) { return }
    knownServers.withLock { $0.append(KnownServer(server)) }
  }

  // MARK: Sockets

  /// Records the events of a socket from now on.
  func add(_ socket: any TappedSocket) { _ = record(of: socket, adds: true) }

  /// The record of a socket; nil for one that is not observed.
  ///
  /// - Parameter isOpening: whether an event follows that has the state of the socket.
  private func record(
    of socket: any TappedSocket, adds: Bool, isOpening: Bool = false
  ) -> SocketRecord? {
    let identifier = ObjectIdentifier(socket)
    let known = sockets.withLock { sockets in
      sockets[identifier].flatMap { $0.socket === socket ? $0.record : nil }
    }
    if known != nil { return known }
    let isOfKnownServer = socket.serverIdentifier.map { server in
      knownServers.withLock { $0.contains { $0.identifier == server } }
    }
    guard adds || isOfKnownServer == true else { return nil }
    // Another thread may report an event that came before the end after it.
    if !isOpening, socket.tapState == .disconnected { return nil }
    return sockets.withLock { sockets in
      if let known = sockets[identifier], known.socket === socket { return known.record }
      let record = log.add { SocketRecord(socket, isOpening: isOpening, number: $0, in: log) }
      sockets[identifier] = KnownSocket(socket: socket, record: record)
      return record
    }
  }
}

extension InspectedProgram: StoreBindings.Observer {
  func storeBound<State, Action>(_ store: TracedStore<State, Action>) {
    record(of: store, isBeingBound: true)
  }

  /// The record of a composer, which is observed from now on.
  ///
  /// - Parameter isBeingBound: whether the composer is being bound, and does not reduce yet.
  @discardableResult func record<State, Action>(
    of store: TracedStore<State, Action>, isBeingBound: Bool = false
  ) -> ComposerRecord? {
    let identifier = ObjectIdentifier(store)
    let known = stores.withLock { stores -> (number: Int?, isNew: Bool) in
      if let known = stores[identifier], known.store === store { return (known.number, false) }
      stores[identifier] = KnownStore(store: store)
      return (nil, true)
    }
    guard known.isNew else { return known.number.flatMap { log.composer($0) } }
    let types = TypesOfComposer(store)
    let record = log.add {
      ComposerRecord(
        types, name: store.name, typeName: store.typeName, number: $0, in: log, at: clock.now)
    }
    stores.withLock { $0[identifier]?.number = record.number }
    @Sendable func observe(_ store: TracedStore<State, Action>) {
      if log.isClosed { return }
      record.begin()
      let clock = types.noteClock(of: store, virtualClocks)
      types.observe(store, by: RecordingObserver(record, in: log, clock))
    }
    if isBeingBound {
      observe(store)
    } else {
      store.perform { [weak store] in store.map(observe) }
    }
    store.whenEnded { [weak self] in
      types.noteEnd()
      record.end()
      self?.stores.withLock { _ = $0.removeValue(forKey: identifier) }
    }
    return record
  }

  /// Lets clients fork a composer.
  func setForkMaker<State, Action>(
    _ maker: ForkMaker<State, Action>, of store: TracedStore<State, Action>
  ) {
    (record(of: store)?.types as? TypesOfComposer<State, Action>)?.setForkMaker(maker)
  }
}

extension TraceEvent where State == AnyJSON, Action == AnyJSON {
  /// About the bytes that the event keeps.
  fileprivate var retainedBytes: Int {
    switch kind {
    case .step(let step): step.actions.reduce(step.state.retainedBytes) { $0 + $1.retainedBytes }
    case .ended(_, .failed(let error)): EventSizer.inlineBytes + error.utf8.count
    case .started, .ended: EventSizer.inlineBytes
    }
  }

  /// The event as a record keeps it, without values that a hidden name beside them hides.
  fileprivate func recorded(hiding redaction: InspectorRedaction) -> ProgramEvent {
    switch kind {
    case .step(let step):
      .step(
        TypedStep.make(
          number: step.number, source: step.source,
          actions: .several(step.actions.map { $0.hidingAllPairs(redaction) }),
          change: step.change, state: step.state.hidingAllPairs(redaction), drawn: step.drawn))
    case .started(let effect, let origin, let id):
      .effect(.started(effect, origin, EffectName(id: id)))
    case .ended(let effect, let outcome):
      .effect(.ended(effect, EffectEnd(outcome: outcome), .none))
    }
  }
}

extension InspectedProgram: SocketTaps.Observer {
  func socket(
    _ socket: any TappedSocket, received message: WebSocketMessage, _ deliver: () -> Void
  ) {
    guard let record = record(of: socket, adds: observesAll) else { return deliver() }
    DeliveredEvent.delivering(record.record(.received(message), at: clock.now), of: log, deliver)
  }

  func serverStarted(_ server: any TappedServer) { if observesAll { add(server) } }

  func socket(_ socket: any TappedSocket, did event: SocketTaps.Event) {
    let record = record(of: socket, adds: observesAll, isOpening: event.isOfState)
    guard let record else { return }
    record.record(SocketEvent(event), at: clock.now)
    if event.isLast { sockets.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(socket)) } }
  }
}

extension SocketTaps.Event {
  /// Whether the event has the state of a socket that has not ended.
  fileprivate var isOfState: Bool {
    switch self {
    case .state(let state): state != .disconnected
    case .reconnection(let state): state.webSocketState != .disconnected
    case .sent, .pong, .failed, .ended: false
    }
  }

  /// Whether no event follows.
  fileprivate var isLast: Bool {
    switch self {
    case .ended, .reconnection(.disconnected): true
    case .state, .reconnection, .sent, .pong, .failed: false
    }
  }
}
