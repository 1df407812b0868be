import Foundation

@testable import Sockets

/// Frames as bytes on the wire, made without the encoder under test.
enum Wire {
  /// The key in the examples of RFC 6455, section 5.7.
  static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

  /// One frame.
  ///
  /// `first` is the first byte: FIN, three reserved bits, opcode.
  static func frame(_ first: UInt8, _ payload: [UInt8], masked: Bool) -> [UInt8] {
    let maskBit: UInt8 = masked ? 0x80 : 0
    func bytes(_ range: Range<Int>) -> [UInt8] {
      range.map { index -> UInt8 in UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * index)) }
    }
    let length: [UInt8] =
      switch payload.count {
      case ..<126: [maskBit | UInt8(payload.count)]
      case ..<65536: [maskBit | 126] + bytes(6..<8)
      default: [maskBit | 127] + bytes(0..<8)
      }
    guard masked else { return [first] + length + payload }
    var masked = payload
    for index in masked.indices { masked[index] ^= key[index % 4] }
    return [first] + length + key + masked
  }

  static func frame(_ first: UInt8, _ text: String, masked: Bool) -> [UInt8] {
    frame(first, Array(text.utf8), masked: masked)
  }
}

/// The side under test.
///
/// A server receives masked frames, a client unmasked ones.
enum Side: CaseIterable {
  case client, server

  var getsMasked: Bool { self == .server }

  func connection(messageLimit: Int = Connection.defaultMessageLimit) -> Connection {
    switch self {
    case .client: Connection(.client(MaskKeys(fixedKeys)), messageLimit: messageLimit)
    case .server: Connection(.server, messageLimit: messageLimit)
    }
  }

  /// A frame from the peer to this side.
  func incoming(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    Wire.frame(first, payload, masked: getsMasked)
  }

  func incoming(_ first: UInt8, _ text: String) -> [UInt8] { incoming(first, Array(text.utf8)) }

  /// A frame from this side to the peer.
  func outgoing(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    Wire.frame(first, payload, masked: !getsMasked)
  }
}

/// A source of mask keys that always returns the RFC's key.
let fixedKeys: RandomBytes = { room in
  for index in room.indices { room[index] = Wire.key[index % 4] }
}

extension Connection {
  /// All events in these bytes.
  mutating func events(in bytes: [UInt8]) -> [ConnectionEvent] {
    var events: [ConnectionEvent] = []
    bytes.withUnsafeBytes { receive($0) { events.append($0) } }
    return events
  }

  /// All events of bytes that arrive one by one.
  mutating func eventsByteByByte(in bytes: [UInt8]) -> [ConnectionEvent] {
    bytes.flatMap { events(in: [$0]) }
  }

  /// Consumes the whole output, as if it were written.
  mutating func drain() -> [UInt8] {
    var bytes: [UInt8] = []
    while !output.isEmpty || canFrame {
      bytes += output.withReadableBytes { [UInt8]($0) }
      output.consume(output.count)
      frame()
    }
    return bytes
  }
}

extension Array where Element == UInt8 {
  /// Both parts for every split, the ends included.
  var splits: [([UInt8], [UInt8])] { (0...count).map { (Array(self[..<$0]), Array(self[$0...])) } }
}
