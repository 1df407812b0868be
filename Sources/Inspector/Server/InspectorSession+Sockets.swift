/// The requests about sockets and servers.
extension InspectorSession {
  func sockets() -> SocketList {
    let records = program.log.sources.compactMap { $0 as? SocketRecord }
    return SocketList(
      sockets: records.map { record in
        let isLive = record.isLive
        let summary = program.log.withLock { _ in record.summary }
        return SocketList.Socket(
          record, summary, isLive: isLive,
          detail: summary.reconnection.map { reader.text(of: .reconnection($0)) })
      })
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
