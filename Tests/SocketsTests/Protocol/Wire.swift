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

  /// The default limits.
  static let messageLimit = WebSocketConfiguration().messageLimit
  static let fragmentSize = WebSocketConfiguration().fragmentSize

  func session(messageLimit: Int = Side.messageLimit) -> Session {
    switch self {
    case .client: .open(.client(MaskKeys(fixedKeys)), messageLimit: messageLimit)
    case .server: .open(.server, messageLimit: messageLimit)
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

/// What an open session reports of the bytes of its peer.
enum Received: Hashable {
  case frame(Frame)
  case message(WebSocketMessage)
  case pong(Data)
  /// The peer sent a close frame.
  case peerClosed(code: CloseCode, reason: String)
  /// The peer broke the protocol.
  case failed(ProtocolError)
  /// The bytes of the peer ended without a close frame.
  case lost
  /// This side was to close with a code that may not be sent.
  case unsendable(CloseCode)
}

extension Session {
  /// An open session, as after a handshake.
  static func open(
    _ role: MessageCodec.Role,
    messageLimit: Int = Side.messageLimit,
    fragmentSize: Int = Side.fragmentSize
  ) -> Session {
    var configuration = WebSocketConfiguration()
    configuration.messageLimit = messageLimit
    configuration.fragmentSize = fragmentSize
    var session = Session(role, SharedOptions(configuration))
    session.accept(Acceptance(agreement: Agreement(extensions: "")))
    _ = session.events()
    return session
  }

  /// Whether nothing that the peer sends has an effect any more.
  var isOver: Bool { outcome != nil }

  /// A step of reading, as the driver takes it: the fast path comes first.
  mutating func step(
    _ input: inout UnsafeRawBufferPointer, wantsFrames: Bool = false
  ) -> ReadStep {
    if let message = readMessage(&input, wantsFrames: wantsFrames) { return .message(message) }
    return read(&input, wantsFrames: wantsFrames, inTurn: true)
  }

  /// All events in these bytes.
  mutating func events(in bytes: [UInt8] = [], wantsFrames: Bool = false) -> [Received] {
    var events: [Received] = []
    bytes.withUnsafeBytes { bytes in
      var input = bytes
      while true {
        let wasOver = isOver
        let step = step(&input, wantsFrames: wantsFrames)
        if !wasOver, let outcome, outcome.error == nil {
          events.append(.peerClosed(code: outcome.code, reason: outcome.reason))
        }
        switch step {
        case .message(let message): events.append(.message(message))
        case .event(let event): events += event.received
        case .more: break
        case .done, .wait: return
        }
      }
    }
    return events
  }

  /// All events of bytes that arrive one by one.
  mutating func eventsByteByByte(in bytes: [UInt8], wantsFrames: Bool = false) -> [Received] {
    bytes.flatMap { events(in: [$0], wantsFrames: wantsFrames) }
  }

  /// Consumes the whole output, as if it were written.
  mutating func drain() -> [UInt8] {
    var bytes: [UInt8] = []
    while !codec.output.isEmpty || codec.canFrame {
      bytes += codec.output.unwrittenBytes
      codec.output.consume(codec.output.count)
      codec.frame()
    }
    return bytes
  }
}

extension SessionEvent {
  /// The event, unless it is one of the session itself, such as a new state.
  fileprivate var received: [Received] {
    switch self {
    case .frame(let frame): [.frame(frame)]
    case .message(let message): [.message(message)]
    case .pong(let payload): [.pong(payload)]
    case .failed(.protocolViolation(let error)): [.failed(error)]
    case .failed(.connectionLost): [.lost]
    case .failed(.closeCodeNotSendable(let code)): [.unsendable(code)]
    default: []
    }
  }
}

extension Array where Element == UInt8 {
  /// Both parts for every split, the ends included.
  var splits: [([UInt8], [UInt8])] { (0...count).map { (Array(self[..<$0]), Array(self[$0...])) } }
}

extension OutputBuffer {
  /// A copy of the bytes that are not written yet.
  var unwrittenBytes: [UInt8] { withReadableParts { [UInt8]($0) + [UInt8]($1) } }
}

/// A session in an array, whose elements can be copied.
final class SessionBox {
  var session: Session

  init(_ session: consuming Session) { self.session = session }
}
