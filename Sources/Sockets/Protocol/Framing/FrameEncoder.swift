/// Encodes frames: a client's are masked, a server's are not (RFC 6455, section 5.1).
struct FrameEncoder {
  // A server, which may have many connections, has none.
  private var maskKeys = Boxed<MaskKeys>()

  /// - Parameter maskKeys: keys of a client; nil for a server
  init(maskKeys: MaskKeys?) { self.maskKeys.value = maskKeys }

  /// Frees the supply of keys that many frames have made large.
  mutating func releaseIdleMemory() { maskKeys.update { $0.forget() } }

  /// Appends one frame to `output`, and masks it while it copies.
  mutating func write(
    _ opcode: Opcode,
    _ payload: UnsafeRawBufferPointer,
    isFinal: Bool = true,
    isCompressed: Bool = false,
    to output: inout OutputBuffer
  ) {
    var key: MaskKey?
    maskKeys.update { key = $0.next() }
    let bits: UInt8 = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)
    let header = Header(first: bits | opcode.rawValue, length: payload.count, isMasked: key != nil)
    let size = header.size + (key == nil ? 0 : 4)
    output.append(count: size + payload.count) { start in
      // `start` has room for header and payload: every store below stays inside it.
      header.store(at: start)
      if let key {
        start.storeBytes(of: key.stored, toByteOffset: header.size, as: UInt32.self)
        key.apply(to: payload, into: start + size)
      } else if let source = payload.baseAddress {
        (start + size).copyMemory(from: source, byteCount: payload.count)
      }
    }
  }

  /// Appends a frame with a whole long message to `output` without a copy; returns false for a client,
  /// whose frames are masked.
  func write(uncopied message: WebSocketMessage, to output: inout OutputBuffer) -> Bool {
    guard maskKeys.isNone else { return false }
    let first = 0x80 | message.opcode.rawValue
    let header = Header(first: first, length: message.byteCount, isMasked: false)
    output.append(count: header.size) { header.store(at: $0) }
    output.append(message)
    return true
  }

  /// A frame's header up to the mask key (5.2).
  private struct Header {
    let first: UInt8
    let length: Int
    let isMasked: Bool

    /// The length is encoded in the shortest of its three forms.
    var size: Int { length < 126 ? 2 : length <= UInt16.max ? 4 : 10 }

    /// Stores it; there is room for `size` bytes.
    func store(at start: UnsafeMutableRawPointer) {
      start.storeBytes(of: first, as: UInt8.self)
      let maskBit: UInt8 = isMasked ? 0x80 : 0
      switch size {
      case 2:
        start.storeBytes(of: maskBit | UInt8(length), toByteOffset: 1, as: UInt8.self)
      case 4:
        start.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: UInt16(length).bigEndian, toByteOffset: 2, as: UInt16.self)
      default:
        start.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: UInt64(length).bigEndian, toByteOffset: 2, as: UInt64.self)
      }
    }
  }
}
