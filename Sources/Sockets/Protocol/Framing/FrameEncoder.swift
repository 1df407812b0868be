/// Encodes frames: a client's are masked, a server's are not (RFC 6455, section 5.1).
struct FrameEncoder {
  private var maskKeys: MaskKeys?

  /// - Parameter maskKeys: keys of a client; nil for a server
  init(maskKeys: MaskKeys?) { self.maskKeys = maskKeys }

  /// Frees the supply of keys that many frames have made large.
  mutating func releaseIdleMemory() { maskKeys?.forget() }

  /// Appends one frame to `output`, and masks it while it copies.
  mutating func write(
    _ opcode: Opcode,
    _ payload: UnsafeRawBufferPointer,
    isFinal: Bool = true,
    isCompressed: Bool = false,
    to output: inout OutputBuffer
  ) {
    let key = maskKeys?.next()
    // 5.2: the length is encoded in the shortest of its three forms.
    let lengthEnd = payload.count < 126 ? 2 : payload.count <= UInt16.max ? 4 : 10
    let size = lengthEnd + (key == nil ? 0 : 4)
    output.append(count: size + payload.count) { start in
      // `start` has room for header and payload: every store below stays inside it.
      let bits: UInt8 = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)
      start.storeBytes(of: bits | opcode.rawValue, as: UInt8.self)
      let maskBit: UInt8 = key == nil ? 0 : 0x80
      switch lengthEnd {
      case 2:
        let length = UInt8(payload.count)
        start.storeBytes(of: maskBit | length, toByteOffset: 1, as: UInt8.self)
      case 4:
        let length = UInt16(payload.count)
        start.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: length.bigEndian, toByteOffset: 2, as: UInt16.self)
      default:
        let length = UInt64(payload.count)
        start.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: length.bigEndian, toByteOffset: 2, as: UInt64.self)
      }
      if let key {
        start.storeBytes(of: key.stored, toByteOffset: lengthEnd, as: UInt32.self)
        key.apply(to: payload, into: start + size)
      } else if let source = payload.baseAddress {
        (start + size).copyMemory(from: source, byteCount: payload.count)
      }
    }
  }
}
