import ActionCable

/// A chat server without Rails: it broadcasts a line to all subscribers of its room.
enum ChatServer {
  /// - Parameters:
  ///   - host: address to listen on, which only this machine reaches by default
  ///   - port: port to listen on, any free one by default
  ///   - backplane: joins the rooms with those of other processes; none by default
  static func make(
    host: String = "127.0.0.1", port: UInt16 = 0, backplane: (any Backplane)? = nil
  ) throws -> CableServer {
    try CableServer(
      host: host, port: port, backplane: backplane,
      authorize: { request in
        let token = request?.query?.firstMatch(of: /token=user-(\w+)/)
        return token.map { String($0.1) }
      },
      subscribe: { _, identifier in
        identifier["channel"] == "ChatChannel" && identifier["chat_id"] != nil
      },
      perform: { server, user, identifier, data in
        guard data["action"] == "say", let text = data["text"] else { return }
        server.broadcast(["from": .string(user), "text": text], to: identifier)
      }
    )
  }
}
