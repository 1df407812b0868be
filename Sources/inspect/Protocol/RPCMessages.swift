/// A JSON-RPC 2.0 request to the inspector.
struct RPCRequest<Params: Encodable & Sendable>: Encodable, Identifiable, Sendable {
  let jsonrpc = "2.0"
  let id: Int
  let method: String
  let params: Params
}

/// The part of a reply that does not depend on its request; a notification has none.
struct RPCReplyHeader: Decodable, Sendable { let id: Int }

/// The reply to a request.
struct RPCReply<Result: Decodable & Sendable>: Decodable, Sendable {
  let result: Result?
  let error: ServerError?
}

/// A notification of the inspector.
struct RPCNotification: Decodable, Sendable {
  let method: String
  let params: JSONValue
}

/// An error with which the inspector answers a request.
struct ServerError: Decodable, Error, Equatable, Sendable {
  let code: Int
  let message: String

  static let unsupportedVersion = -32001
}
