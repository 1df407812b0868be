import Foundation
import Sockets

/// The messages that a client sends and expects back.
struct Exchange: Sendable {
  enum Kind { case text, binary }

  /// The bytes of a message.
  let bytes: Int
  /// The number of messages in flight.
  let window: Int
  let kind: Kind

  init(_ kind: Kind, bytes: Int, window: Int) {
    self.kind = kind
    self.bytes = bytes
    self.window = window
  }

  /// Sent in turn, repeatedly; they differ, so that none can be mistaken for another.
  func messages() -> [WebSocketMessage] {
    // 128 KiB at least: more than one read brings.
    (0..<max(2, 131_072 / bytes)).map { number in
      let letters = (0..<bytes).lazy.map { UInt8(ascii: "a") + UInt8($0 % 26) }
      let payload = (Array("\(number) ".utf8) + letters).prefix(bytes)
      return switch kind {
      case .text: .text(String(decoding: payload, as: UTF8.self))
      case .binary: .binary(Data(payload))
      }
    }
  }
}
