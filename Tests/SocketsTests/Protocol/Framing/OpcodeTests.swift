import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct OpcodeTests {
  @Test func `5.2: the six opcodes exist, and the reserved ones do not`() {
    let known = (UInt8(0)...0xFF).filter { Opcode(rawValue: $0) != nil }
    #expect(known == [0x0, 0x1, 0x2, 0x8, 0x9, 0xA])
  }

  @Test func `close, ping and pong are control frames`() {
    let all: [Opcode] = [.continuation, .text, .binary, .close, .ping, .pong]
    #expect(all.filter(\.isControl) == [.close, .ping, .pong])
  }
}
