#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Creates actions from JSON.
enum ActionDecoder {
  /// Decodes an action of a type that need not be `Decodable` for the compiler.
  ///
  /// - Throws: `notDecodable` when the type does not conform to `Decodable`, `malformed` when `json` is
  ///   no action.
  static func action<Action: Sendable>(
    _ type: Action.Type, from json: AnyJSON
  ) throws(ActionProblem) -> Action {
    guard let decodable = type as? any Decodable.Type else {
      throw .notDecodable(type: "\(type)")
    }
    let value: any Decodable
    do {
      value = try JSONDecoder().decode(decodable, from: JSONEncoder().encode(json))
    } catch {
      throw .malformed(DecodingReport(of: error, type: type, json: json).text)
    }
    guard let action = value as? Action else { throw .notDecodable(type: "\(type)") }
    return action
  }
}

/// Why an action was not created.
enum ActionProblem: Error, Equatable {
  /// The type does not conform to `Decodable`.
  case notDecodable(type: String)
  /// The JSON is no action, for this reason.
  case malformed(String)

  /// A sentence for the user.
  var message: String {
    switch self {
    case .notDecodable(let type):
      """
      \(type) cannot be created from JSON: conform \(type) to Codable. \
      An enum needs the conformance also when its cases have no associated values.
      """
    case .malformed(let reason): reason
    }
  }
}
