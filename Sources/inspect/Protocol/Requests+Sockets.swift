/// The requests about sockets and servers.
extension Requests {
  struct Sockets: InspectorRequest {
    typealias Reply = SocketList
    static let method = "sockets"
    var isLive: Bool?
    var limit: Int?
  }

  struct Servers: InspectorRequest {
    typealias Reply = ServerList
    static let method = "servers"
  }

  struct Cut: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "cut"
    let socket: Int
  }

  struct Slow: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "slow"
    let socket: Int
    let milliseconds: Int
  }
}
