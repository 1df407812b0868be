import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct MaskingTests {
  private static let keyBytes: [UInt8] = [0x9A, 0x01, 0xF0, 0x5C]
  private static let key = MaskKey(0x9A, 0x01, 0xF0, 0x5C)
  private static let payload = (0..<210).map { UInt8(truncatingIfNeeded: $0 &* 41 &+ 7) }

  private static func expected(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
    bytes.enumerated().map { $1 ^ keyBytes[(offset + $0) % 4] }
  }

  @Test func `5.3: a payload of any length, from any offset, is XORed in place`() {
    for offset in 0...8 {
      for length in 0...200 {
        var bytes = Array(Self.payload[..<length])
        let isASCII = bytes.withUnsafeMutableBytes { Self.key.apply(inPlace: $0, at: offset) }
        #expect(isASCII == bytes.allSatisfy { $0 < 0x80 })
        #expect(bytes == Self.expected(Array(Self.payload[..<length]), at: offset))
      }
    }
  }

  @Test func `copying masks at any alignment and writes no other bytes`() {
    for start in 0...9 {
      for length in 0...200 {
        let source = Array(Self.payload[start..<start + length])
        var room = [UInt8](repeating: 0xEE, count: length + 20)
        Self.payload.withUnsafeBytes { payload in
          room.withUnsafeMutableBytes { room in
            guard let target = room.baseAddress else { return }
            let source = UnsafeRawBufferPointer(rebasing: payload[start..<start + length])
            Self.key.apply(to: source, at: start, into: target + (9 - start))
          }
        }
        let edges = [UInt8](repeating: 0xEE, count: 9 - start)
        let rest = [UInt8](repeating: 0xEE, count: 11 + start)
        #expect(room == edges + Self.expected(source, at: start) + rest)
      }
    }
  }

  @Test func `mask keys are fetched in batches of 4 up to 64, and none is used twice`() {
    let calls = Mutex<[Int]>([])
    var keys = MaskKeys { room in
      let call = calls.withLock {
        $0.append(room.count)
        return $0.count
      }
      for index in room.indices { room[index] = UInt8(truncatingIfNeeded: index / 4 + 64 * call) }
    }
    #expect(calls.withLock { $0 } == [])
    let taken = (0..<128).map { _ in keys.next().stored }
    let bytes = calls.withLock { $0 }
    #expect(bytes.first == 16 && bytes.last == 256 && bytes == bytes.sorted())
    #expect(bytes.count <= 4)
    #expect(Set(taken).count == 128)
  }
}
