#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The id of a JSON-RPC request: a string or an integer.
enum RPCIdentifier: Codable, Hashable, Sendable {
  case number(Int)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

/// The part of a request that does not depend on its method.
struct RPCHead: Decodable, Sendable {
  let jsonrpc: String
  /// Nil for a notification, which is not answered.
  let id: RPCIdentifier?
  let method: String
}

/// The params of a request.
struct RPCParams<Params: Decodable>: Decodable {
  let params: Params
}

/// The same for a request that needs no params.
struct RPCOptionalParams<Params: Decodable>: Decodable {
  let params: Params?
}

/// An answer with a result.
struct RPCResult<Result: Encodable>: Encodable {
  let jsonrpc = "2.0"
  let id: RPCIdentifier
  let result: Result
}

/// An answer with an error.
struct RPCFailure: Encodable {
  let jsonrpc = "2.0"
  /// Nil when the id of the request could not be read.
  let id: RPCIdentifier?
  let error: RPCError

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(jsonrpc, forKey: .jsonrpc)
    // JSON-RPC 2.0, section 5: null when the id is not known.
    try container.encode(id, forKey: .id)
    try container.encode(error, forKey: .error)
  }

  private enum CodingKeys: CodingKey { case jsonrpc, id, error }
}

/// A message without an answer.
struct RPCNotification<Params: Encodable>: Encodable {
  let jsonrpc = "2.0"
  let method: String
  let params: Params
}

/// An error of a request, with one of the codes of <doc:Protocol#Errors>.
struct RPCError: Error, Encodable, Equatable {
  let code: Int
  let message: String
  var data: [String: Int]?

  static let notJSON = RPCError(code: -32700, message: "The message is not JSON.")
  static func tooDeep(_ limit: Int) -> RPCError {
    RPCError(code: -32700, message: "The message has more than \(limit) levels.")
  }

  static func tooLong(_ limit: Int) -> RPCError {
    RPCError(code: -32600, message: "The request has more than \(limit) bytes.")
  }

  static let notARequest = RPCError(
    code: -32600, message: "The message is not a JSON-RPC 2.0 request.")
  static let helloIsMissing = RPCError(
    code: -32002, message: "The first request must be hello.")

  static func unknownMethod(_ name: String) -> RPCError {
    RPCError(code: -32601, message: "There is no method \(name).")
  }

  static func invalidParams(_ reason: String) -> RPCError {
    RPCError(code: -32602, message: reason)
  }

  static func unsupportedVersion(_ version: Int) -> RPCError {
    RPCError(
      code: -32001, message: "Version \(version) of the protocol is not supported.",
      data: ["version": Hello.version])
  }

  static func unknown(_ what: String, _ number: Int) -> RPCError {
    RPCError(code: -32003, message: "There is no \(what) \(number).")
  }

  static func dropped(_ event: Int, first: Int) -> RPCError {
    RPCError(
      code: -32004, message: "The event \(event) is dropped; \(first) is the first.",
      data: ["first": first])
  }

  static func cannotAct(_ reason: String) -> RPCError { RPCError(code: -32005, message: reason) }

  /// The error of a decoder, with the path in the params.
  init(_ error: DecodingError) {
    let (context, text): (DecodingError.Context, String) =
      switch error {
      case .typeMismatch(let type, let context): (context, "is no \(type)")
      case .valueNotFound(let type, let context): (context, "is null instead of \(type)")
      case .keyNotFound(let key, let context): (context, "has no \(key.stringValue)")
      case .dataCorrupted(let context): (context, context.debugDescription)
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    self = .invalidParams("\(path.isEmpty ? "The request" : path) \(text).")
  }

  init(code: Int, message: String, data: [String: Int]? = nil) {
    (self.code, self.message, self.data) = (code, message, data)
  }
}
