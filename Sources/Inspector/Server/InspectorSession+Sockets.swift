/// The requests about sockets and servers.
extension InspectorSession {
  /// The sockets, the live ones first and then the newest.
  func sockets(_ params: Params.Sockets) -> SocketList {
    let limit = min(max(0, params.limit ?? 500), 5_000)
    var records: [(record: SocketRecord, isLive: Bool)] = []
    for case let record as SocketRecord in program.log.sources.reversed() {
      let isLive = record.isLive
      if isLive == (params.isLive ?? isLive) { records.append((record, isLive)) }
    }
    let ordered = records.filter(\.isLive) + records.filter { !$0.isLive }
    return SocketList(
      sockets: ordered.prefix(limit).map { record, isLive in
        let summary = program.log.withLock { _ in record.summary }
        return SocketList.Socket(
          record, summary, isLive: isLive,
          detail: summary.reconnection.map { reader.text(of: .reconnection($0)) },
          reader.values.redaction)
      },
      moreSockets: max(0, ordered.count - limit), live: records.count(where: \.isLive))
  }

  func servers() -> ServerList {
    ServerList(servers: program.servers.map { ServerList.Server($0.url, $0.totals) })
  }

  func content(_ params: Params.Event) throws -> MessageContent {
    let event = try reader.event(params.event)
    guard case .socket(let event) = event.head.kind, let message = event.message else {
      throw RPCError.invalidParams("Event \(params.event) is not a message of a socket.")
    }
    return reader.content(of: message)
  }
}
