#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the servers of a topic send to each other.
///
///     version 1 | kind | origin, 16 bytes | rest
///     kind 0, 1: text, binary    flags, limit (4 bytes), payload
///     kind 2:    presence asked  nothing
///     kind 3:    presence        count (4 bytes)
///
/// Numbers are big-endian. The only flag, 1, closes slow clients.
struct TopicEnvelope: Equatable {
  enum Content: Equatable {
    case message(WebSocketMessage, limit: Int, slowClients: SlowClients)
    /// Some process observes the presence: the others answer with their counts.
    case presenceAsked
    /// How many subscribers the origin has.
    case presence(Int)
  }

  /// The server that has sent it.
  let origin: TopicOrigin
  let content: Content

  private static var version: UInt8 { 1 }
  private static var headerLength: Int { 18 }

  private enum Kind: UInt8 {
    case text, binary, presenceAsked, presence
  }

  init(origin: TopicOrigin, content: Content) {
    (self.origin, self.content) = (origin, content)
  }

  // MARK: Writing

  /// The bytes of the envelope.
  var bytes: Data {
    switch content {
    case .message(let message, let limit, let slowClients):
      var bytes = header(message.text == nil ? .binary : .text, reserving: 5 + message.byteCount)
      bytes.append(slowClients == .closed ? 1 : 0)
      bytes.append(bigEndian: UInt32(clamping: limit))
      message.withPayload { bytes.append(contentsOf: $0) }
      return bytes
    case .presenceAsked: return header(.presenceAsked, reserving: 0)
    case .presence(let count):
      var bytes = header(.presence, reserving: 4)
      bytes.append(bigEndian: UInt32(clamping: count))
      return bytes
    }
  }

  private func header(_ kind: Kind, reserving rest: Int) -> Data {
    var bytes = Data(capacity: Self.headerLength + rest)
    bytes.append(Self.version)
    bytes.append(kind.rawValue)
    bytes.append(bigEndian: origin.high)
    bytes.append(bigEndian: origin.low)
    return bytes
  }

  // MARK: Reading

  /// Reads an envelope, which anybody may have written who can reach the broker.
  init(_ bytes: Data) throws(MalformedTopicMessage) {
    var rest = bytes[...]
    guard rest.popFirst() == Self.version else {
      throw bytes.isEmpty ? .truncated(length: 0) : .unknownVersion(bytes[bytes.startIndex])
    }
    guard let kind = rest.popFirst(), let high = rest.popNumber(UInt64.self),
      let low = rest.popNumber(UInt64.self)
    else { throw .truncated(length: bytes.count) }
    let content: Content?
    switch Kind(rawValue: kind) {
    case .text?:
      content = try Self.message(from: &rest) { bytes throws(MalformedTopicMessage) in
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidText }
        return .text(text)
      }
    case .binary?: content = try Self.message(from: &rest) { .binary(Data($0)) }
    case .presenceAsked?: content = .presenceAsked
    case .presence?: content = rest.popNumber(UInt32.self).map { .presence(Int($0)) }
    case nil: throw .unknownKind(kind)
    }
    guard let content else { throw .truncated(length: bytes.count) }
    self.init(origin: TopicOrigin(high: high, low: low), content: content)
  }

  private static func message(
    from rest: inout Data.SubSequence,
    _ make: (Data.SubSequence) throws(MalformedTopicMessage) -> WebSocketMessage
  ) throws(MalformedTopicMessage) -> Content? {
    guard let flags = rest.popFirst(), let limit = rest.popNumber(UInt32.self) else { return nil }
    return .message(
      try make(rest), limit: Int(limit), slowClients: flags & 1 == 1 ? .closed : .skipped)
  }
}

/// A random number of a server, by which its own messages are recognized.
struct TopicOrigin: Hashable, Sendable {
  let high: UInt64
  let low: UInt64
}

extension TopicOrigin {
  /// Draws 16 bytes from `random`.
  init(random: RandomBytes) {
    var words: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &words) { random($0) }
    self.init(high: words.0, low: words.1)
  }
}

/// The reason why a message of a backplane was dropped.
public enum MalformedTopicMessage: Error, Hashable, Sendable {
  /// It ends too early. Something else than a server publishes to the channel.
  case truncated(length: Int)
  /// Another version has written it. Update the older one of the processes.
  case unknownVersion(UInt8)
  /// Another version has written it. Update the older one of the processes.
  case unknownKind(UInt8)
  /// The text is not UTF-8. Something else than a server publishes to the channel.
  case invalidText
}

extension MalformedTopicMessage: CustomStringConvertible {
  /// The reason as a few words of English.
  public var description: String {
    switch self {
    case .truncated(let length): "it ends after \(length) bytes"
    case .unknownVersion(let version): "its version is \(version)"
    case .unknownKind(let kind): "its kind is \(kind)"
    case .invalidText: "its text is not UTF-8"
    }
  }
}

extension Data {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}

extension Data.SubSequence {
  /// Removes and returns a big-endian number; nil when too few bytes remain.
  fileprivate mutating func popNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard count >= size else { return nil }
    defer { removeFirst(size) }
    return prefix(size).reduce(0) { $0 << 8 | Number($1) }
  }
}
