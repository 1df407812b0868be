extension MCPTool {
  /// The servers of the program.
  static let servers = MCPTool(
    name: "servers", title: "List servers",
    summary: """
      Lists the WebSocket servers of the program that listen: URL, connections, messages and bytes, refused and \
      closed connections by status and close code, and the lag of the event loop.
      """
  ) { _, program in
    let reply = try await program(Requests.Servers())
    let lines = ServerReport.lines(reply.servers).map(\.text)
    return ToolResult(
      lines.isEmpty ? ["No server listens."] : lines, structured: try JSONValue(reply),
      whenCut: "The structured content has them.")
  }
}
