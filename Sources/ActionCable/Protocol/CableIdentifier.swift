/// The identifier of a subscription: the channel's class on the server, and its parameters.
///
/// ```swift
/// CableIdentifier("ChatChannel", ["chat_id": 7])
/// ```
///
/// The server compares identifiers by their text, byte for byte. So the text has one canonical
/// form: names sorted, no spaces.
public struct CableIdentifier: Hashable, Sendable {
  /// The channel's class on the server.
  public let channel: String
  /// The channel's `params` on the server, without the channel's own name.
  public let parameters: [String: JSONValue]
  /// The JSON text in every frame of this subscription.
  public let text: String

  /// Creates an identifier; a parameter with the name `channel` is left out.
  public init(_ channel: String, _ parameters: [String: JSONValue] = [:]) {
    self.channel = channel
    self.parameters = parameters.filter { $0.key != "channel" }
    text = JSONValue.object(parameters.merging(["channel": .string(channel)]) { $1 }).text
  }

  /// Compares by the text, as the server does.
  public static func == (first: Self, second: Self) -> Bool { first.text == second.text }

  /// Hashes the text, by which identifiers are compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension CableIdentifier: CustomStringConvertible {
  /// The JSON text.
  public var description: String { text }
}
