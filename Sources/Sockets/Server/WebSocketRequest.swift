/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// The path with its percent encoding; begins with a slash.
  public let path: String
  /// What follows the question mark, as it was sent; nil without one.
  public let query: String?
  /// All headers of the request.
  public let headers: HTTPHeaders

  /// The subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] { headers.elements(of: "Sec-WebSocket-Protocol") }
}
