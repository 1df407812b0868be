/// What the command line asks for.
struct ChatArguments: Equatable {
  enum Mode: Equatable {
    /// Two people chat at a server: the one of this URL, or an embedded one.
    case script(url: String?)
    /// A server for others, which runs until it is interrupted.
    case serve(port: UInt16, redis: String?)
    case help
  }

  var mode = Mode.script(url: nil)
  var isInspected = false

  static let help = """
    usage: chat [--url ws://host:port/cable] [--inspect]
           chat --serve [--port PORT] [--redis redis://host:port] [--inspect]

      --url URL     use this Rails server, whose ChatChannel accepts tokens such as user-ann;
                    the default is a small embedded server
      --serve       only serve, until interrupted
      --port PORT   the port to listen on; any free one by default
      --redis URL   one chat with all servers at this Redis
      --inspect     print the address of a page that shows the steps and effects of both people, and
                    run until interrupted
    """

  /// Reads the arguments behind the program's name; nil when they are wrong.
  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    var (serves, url, port, redis) = (false, String?.none, UInt16?.none, String?.none)
    while let name = rest.popFirst() {
      switch name {
      case "--help":
        mode = .help
        return
      case "--inspect": isInspected = true
      case "--serve": serves = true
      case "--url": url = rest.popFirst()
      case "--redis": redis = rest.popFirst()
      case "--port": port = rest.popFirst().flatMap { UInt16($0) }
      default: return nil
      }
      if name == "--url", url == nil { return nil }
      if name == "--redis", redis == nil { return nil }
      if name == "--port", port == nil { return nil }
    }
    guard serves ? url == nil : port == nil && redis == nil else { return nil }
    mode = serves ? .serve(port: port ?? 0, redis: redis) : .script(url: url)
  }
}
