extension MCPTool {
  /// The sockets of the program.
  static let sockets = MCPTool(
    name: "sockets", title: "List sockets",
    summary: """
      Lists the WebSockets of the program: number, name, side (client, or connection of a server), state, messages \
      and their bytes received and sent, bytes in the queue, error, close code. See their messages with steps and \
      the kinds received, sent and socket.
      """,
    parameters: [
      ToolParameter(
        name: "live", kind: .flag, summary: "Only sockets that have not ended; false by default.")
    ]
  ) { arguments, program in
    let reply = try await program(
      Requests.Sockets(isLive: arguments.isTrue("live") ? true : nil, limit: 200))
    var lines = SocketReport.lines(reply.sockets).map(\.text)
    if reply.sockets.isEmpty { lines = ["There are none."] }
    if let more = reply.moreSockets, more > 0 {
      lines.append("… \(Figures.count(more, "other socket"))")
    }
    return ToolResult(
      lines, structured: try JSONValue(reply),
      whenCut: "The structured content has them.")
  }

  private static let socket = ToolParameter(
    name: "socket", kind: .text, summary: "Number or name of a socket, as sockets lists them.",
    isRequired: true)

  /// Drops the connection of a socket.
  static let cut = MCPTool(
    name: "cut", title: "Cut a socket",
    summary: """
      Drops the connection of a socket without a close frame, as a lost network does: to see how the program \
      handles that. A client that reconnects connects again.
      """,
    parameters: [socket], impact: .change
  ) { arguments, program in
    let socket = try await program.socket(arguments.text("socket") ?? "")
    _ = try await program(Requests.Cut(socket: socket.socket))
    return ToolResult("Cut socket \(socket.socket), \(socket.name.visible).")
  }

  /// Delays both directions of a socket.
  static let slow = MCPTool(
    name: "slow", title: "Slow a socket down",
    summary: """
      Delays both directions of a socket's open connection by some milliseconds, in order, until the connection \
      ends: to see how the program handles a slow network. 0 ends the delay.
      """,
    parameters: [
      socket,
      ToolParameter(
        name: "milliseconds", kind: .integer(0...60_000), summary: "The delay; 0 ends it.",
        isRequired: true),
    ], impact: .change
  ) { arguments, program in
    let socket = try await program.socket(arguments.text("socket") ?? "")
    let milliseconds = arguments.integer("milliseconds") ?? 0
    _ = try await program(Requests.Slow(socket: socket.socket, milliseconds: milliseconds))
    return ToolResult(
      "Socket \(socket.socket), \(socket.name.visible), is delayed by \(milliseconds) ms each way.")
  }
}
