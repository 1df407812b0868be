import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct FrameEncoderTests {
  private func encoded(
    _ opcode: Opcode,
    _ payload: [UInt8],
    isFinal: Bool = true,
    maskKeys: MaskKeys? = nil
  ) -> [UInt8] {
    var encoder = FrameEncoder(maskKeys: maskKeys)
    var output = OutputBuffer()
    payload.withUnsafeBytes { encoder.write(opcode, $0, isFinal: isFinal, to: &output) }
    return output.unwrittenBytes
  }

  @Test func `5.7: the frames of the RFC are encoded`() {
    let hello = Array("Hello".utf8)
    #expect(encoded(.text, hello) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    #expect(
      encoded(.text, hello, maskKeys: MaskKeys(fixedKeys))
        == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    )
    #expect(encoded(.text, Array("Hel".utf8), isFinal: false) == [0x01, 0x03, 0x48, 0x65, 0x6C])
    #expect(encoded(.continuation, Array("lo".utf8)) == [0x80, 0x02, 0x6C, 0x6F])
    #expect(encoded(.ping, hello) == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    #expect(
      encoded(.binary, [UInt8](repeating: 1, count: 256)).prefix(4) == [0x82, 0x7E, 0x01, 0x00]
    )
    #expect(
      encoded(.binary, [UInt8](repeating: 1, count: 65536)).prefix(10)
        == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]
    )
  }

  @Test(arguments: [0, 1, 124, 125, 126, 127, 65534, 65535, 65536, 65537])
  func `5.2: each length is encoded in the shortest form, masked and unmasked`(length: Int) {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    #expect(encoded(.binary, payload) == Wire.frame(0x82, payload, masked: false))
    #expect(
      encoded(.binary, payload, maskKeys: MaskKeys(fixedKeys))
        == Wire.frame(0x82, payload, masked: true)
    )
  }

  @Test func `5.3: every frame is encoded with a new key`() {
    var encoder = FrameEncoder(
      maskKeys: MaskKeys { room in for index in room.indices { room[index] = UInt8(index) } }
    )
    var output = OutputBuffer()
    for _ in 0..<2 {
      encoder.write(.ping, UnsafeRawBufferPointer(start: nil, count: 0), to: &output)
    }
    let bytes = output.unwrittenBytes
    #expect(bytes.count == 12)
    #expect(bytes[2..<6] != bytes[8..<12])
  }
}
