/// Answers to an MCP client.
enum MCPAnswer {
  static func result(_ result: JSONValue, to id: JSONValue) -> JSONValue {
    ["jsonrpc": "2.0", "id": id, "result": result]
  }

  static func failure(_ error: MCPError, to id: JSONValue) -> JSONValue {
    [
      "jsonrpc": "2.0", "id": id,
      "error": ["code": .integer(Int64(error.code)), "message": .string(error.message)],
    ]
  }
}

/// An error of the protocol, not of a tool.
struct MCPError: Error, Equatable, Sendable {
  let code: Int
  let message: String

  static let notJSON = MCPError(code: -32700, message: "The message is not JSON.")
  static let notARequest = MCPError(
    code: -32600, message: "The message is not a JSON-RPC 2.0 request.")

  static func tooLong(limit: Int) -> MCPError {
    MCPError(code: -32600, message: "The message is longer than \(Figures.count(limit)) bytes.")
  }

  static func unknownMethod(_ method: String) -> MCPError {
    MCPError(code: -32601, message: "There is no method \(method).")
  }

  static func invalidParams(_ problem: String) -> MCPError {
    MCPError(code: -32602, message: problem)
  }
}
