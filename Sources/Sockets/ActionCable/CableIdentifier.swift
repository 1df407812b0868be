/// Which subscription: the channel's class on the server, and its parameters.
///
/// ```swift
/// CableIdentifier("ChatChannel", ["chat_id": 7])
/// ```
///
/// The server tells subscriptions apart by the text, byte for byte; two spellings would be two of them.
/// So there is only one: names sorted, no spaces.
public struct CableIdentifier: Hashable, Sendable {
  /// The class on the server.
  public let channel: String
  /// What the channel finds in its `params`; the channel's own name is not among them.
  public let parameters: [String: JSONValue]
  /// The JSON text that stands in every frame of this subscription.
  public let text: String

  /// The subscription to `channel` with these parameters; one that is called `channel` is left out.
  public init(_ channel: String, _ parameters: [String: JSONValue] = [:]) {
    self.channel = channel
    self.parameters = parameters.filter { $0.key != "channel" }
    text = JSONValue.object(parameters.merging(["channel": .string(channel)]) { $1 }).text
  }

  /// By the text.
  public static func == (first: Self, second: Self) -> Bool { first.text == second.text }

  /// By the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension CableIdentifier: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}
