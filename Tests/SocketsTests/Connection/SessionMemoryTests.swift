#if os(Linux) && !SANITIZED
import Foundation
import TestSupport
import Testing

@testable import Sockets

/// The peak memory of the process in bytes.
///
/// Not `getrusage`'s, which includes the process before `exec`.
private func peak() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
}

/// The resident memory in bytes.
private func resident() -> Int {
  let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
    .split(separator: " ").dropFirst().first
  return (pages.flatMap { Int($0) } ?? 0) << 12
}

/// The memory that input costs, measured in processes of their own: other tests allocate
/// meanwhile.
@Suite("The memory of a session", .workerPool)
struct SessionMemoryTests {
  @Test func `a small message uses memory for its length only, in fragments and compressed too`()
    async
  {
    await #expect(processExitsWith: .success) {
      let payload = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) }
      var deflater = MessageDeflater(MessageDeflateTests.deflate())
      var compressed: [UInt8] = []
      _ = payload.withUnsafeBytes { bytes in deflater.deflate(bytes) { compressed = [UInt8]($0) } }
      for side in Side.allCases {
        for isCompressed in [false, true] {
          let bytes =
            isCompressed
            ? side.incoming(0xC2, compressed)
            : side.incoming(0x02, Array(payload[..<100]))
              + side.incoming(0x80, Array(payload[100...]))
          var messages: [Received] = []
          messages.reserveCapacity(1_000)
          let growth = heapGrowth {
            for _ in 0..<1_000 {
              var session = side.session()
              if isCompressed { session.codec.use(MessageDeflateTests.deflate()) }
              messages += session.events(in: bytes)
            }
          }
          precondition(messages.count == 1_000)
          precondition(messages.allSatisfy { $0 == .message(.binary(Data(payload))) })
          precondition(growth < 1_000 * 1_024, "\(growth) bytes, \(side), \(isCompressed)")
        }
      }
    }
  }

  @Test func `a million empty fragments use no memory and are one message`() async {
    await #expect(processExitsWith: .success) {
      for side in Side.allCases {
        var session = side.session()
        let fragments = Array((0..<10_000).map { _ in side.incoming(0x00) }.joined())
        precondition(session.events(in: side.incoming(0x01)) == [])
        let growth = heapGrowth {
          for _ in 0..<100 { precondition(session.events(in: fragments) == []) }
        }
        precondition(growth < 4096, "\(growth) bytes")
        precondition(session.events(in: side.incoming(0x80, "!")) == [.message(.text("!"))])
      }
    }
  }

  @Test func `a message that fails keeps no memory`() async {
    await #expect(processExitsWith: .success) {
      for side in Side.allCases {
        var session = side.session()
        let growth = heapGrowth {
          let half = [UInt8](repeating: 0x61, count: 4 << 20)
          precondition(session.events(in: side.incoming(0x01, half)) == [])
          precondition(!session.events(in: side.incoming(0x80, [0xFF])).isEmpty)
        }
        precondition(growth < 65_536, "\(growth) bytes")
        precondition(session.isOver)
      }
    }
  }

  @Test func `the memory of long messages returns to the system with them`() async {
    await #expect(processExitsWith: .success) {
      /// Receives a long message on each of many sessions at once, and drops them; small blocks
      /// that stay lie between them.
      func growth(_ parts: [[UInt8]], wantsFrames: Bool = false, sessions count: Int = 24) -> Int {
        var small: [[UInt8]] = []
        let before = resident()
        var sessions = (0..<count).map { _ in SessionBox(Side.server.session()) }
        var messages: [Received] = []
        for part in parts {
          for index in sessions.indices {
            messages += sessions[index].session.events(in: part, wantsFrames: wantsFrames)
            small.append([UInt8](repeating: 1, count: 100))
          }
        }
        precondition(messages.count == (wantsFrames ? 2 * count : count))
        let during = resident() - before
        precondition(during > count << 20, "\(during) bytes during")
        (messages, sessions) = ([], [])
        return withExtendedLifetime(small) { resident() - before }
      }

      let part = [UInt8](repeating: 0x61, count: 64 << 10)
      let side = Side.server
      let rest = Array(repeating: side.incoming(0x00, part), count: 39) + [side.incoming(0x80)]
      let long = [UInt8](repeating: 0x61, count: 5 << 19)
      // The pages of the code that are used for the first time do not count.
      _ = growth([side.incoming(1, part)] + rest, sessions: 1)
      var growths: [Int] = []
      for opcode: UInt8 in [1, 2] {
        growths.append(growth([side.incoming(opcode, part)] + rest))
        let frame = side.incoming(0x80 | opcode, long)
        let pieces = stride(from: 0, to: frame.count, by: part.count).map {
          Array(frame[$0...].prefix(part.count))
        }
        growths.append(growth(pieces))
        growths.append(growth(pieces, wantsFrames: true))
      }
      precondition(growths.allSatisfy { $0 < 3 << 20 }, "\(growths)")
    }
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `a decompression bomb uses no more memory than a message of the limit`() async {
    await #expect(processExitsWith: .success) {
      let deflate = MessageDeflateTests.deflate()
      var deflater = MessageDeflater(deflate)
      let zeros = [UInt8](repeating: 0, count: 1 << 20)
      // 256 MiB, deflated piece by piece.
      var bomb: [UInt8] = []
      for _ in 0..<256 {
        let isCompressed = zeros.withUnsafeBytes { bytes in deflater.deflate(bytes) { bomb += $0 } }
        precondition(isCompressed)
        bomb += [0x00, 0x00, 0xFF, 0xFF]
      }
      let frame = Side.client.incoming(0xC2, bomb)
      func expectTooLong(limit: Int) {
        var session = Side.client.session(messageLimit: limit)
        session.codec.use(deflate)
        guard case .failed(.messageTooLong) = session.events(in: frame).first else {
          preconditionFailure("it was taken")
        }
      }
      // The pages of the code and of zlib that are used for the first time do not count.
      expectTooLong(limit: 64 << 10)
      let before = peak()
      expectTooLong(limit: 8 << 20)
      let growth = peak() - before
      precondition(before > 0 && growth < 12 << 20, "\(growth) bytes")
    }
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `compression uses memory only with context takeover`() async {
    await #expect(processExitsWith: .success) {
      /// The bytes that each of 100 sessions keeps after a message each way.
      func bytesKept(_ deflate: MessageDeflate?, talks: Bool = true) -> Int {
        let text = String(repeating: "hello ", count: 10)
        var sessions: [SessionBox] = []
        sessions.reserveCapacity(100)
        let growth = heapGrowth {
          for _ in 0..<100 {
            var session = Side.server.session()
            if let deflate { session.codec.use(deflate) }
            if talks {
              do { try session.send(.text(text)) } catch { preconditionFailure("\(error)") }
              var frame = session.drain()
              // A server's frame becomes a client's when it is masked with zeros.
              frame[1] |= 0x80
              frame.insert(contentsOf: [0, 0, 0, 0], at: 2)
              precondition(session.events(in: frame) == [.message(.text(text))])
            }
            sessions.append(SessionBox(session))
          }
        }
        precondition(sessions.count == 100)
        return growth / 100
      }
      _ = bytesKept(MessageDeflateTests.deflate())
      let plain = bytesKept(nil)
      let silent = bytesKept(MessageDeflateTests.deflate(), talks: false)
      let forgetful = bytesKept(MessageDeflateTests.deflate(isKept: false))
      let modest = bytesKept(MessageDeflateTests.deflate(bits: 12))
      let full = bytesKept(MessageDeflateTests.deflate())
      let figures = [plain, silent, forgetful, modest, full]
      precondition(silent < plain + 500 && forgetful < plain + 2000, "\(figures)")
      precondition(modest < 64_000 && full > modest, "\(figures)")
    }
  }
}
#endif
