import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct OutputBufferTests {
  private func append(_ bytes: [UInt8], to buffer: inout OutputBuffer) {
    bytes.withUnsafeBytes { buffer.append($0) }
  }

  private func contents(_ buffer: borrowing OutputBuffer) -> [UInt8] { buffer.unwrittenBytes }

  /// Where the bytes of a long array or message lie.
  private func addressOfLast(_ buffer: borrowing OutputBuffer) -> UnsafeRawPointer? {
    buffer.withReadableParts { $1.baseAddress }
  }

  @Test func `an output buffer keeps the order of its bytes over partial writes`() {
    var buffer = OutputBuffer()
    #expect(buffer.isEmpty == true)
    append([1, 2, 3], to: &buffer)
    buffer.consume(1)
    append([4], to: &buffer)
    #expect(buffer.count == 3)
    #expect(contents(buffer) == [2, 3, 4])
    buffer.consume(3)
    #expect(buffer.isEmpty == true)
    #expect(contents(buffer) == [])
  }

  @Test func `a long output buffer keeps the order of its bytes over partial writes`() {
    var buffer = OutputBuffer()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    append(bytes, to: &buffer)
    var written: [UInt8] = []
    while !buffer.isEmpty {
      let part = min(9_973, buffer.count)
      written += contents(buffer).prefix(part)
      buffer.consume(part)
      if written.count < 100_000 { append([7], to: &buffer) }
    }
    #expect(written.starts(with: bytes))
    #expect(written.dropFirst(bytes.count).allSatisfy { $0 == 7 })
  }

  @Test func `an output buffer frees the memory of a burst, and retains a little`() {
    var buffer = OutputBuffer()
    #expect(buffer.capacity == 0)
    append([UInt8](repeating: 0, count: 1000), to: &buffer)
    buffer.consume(1000)
    #expect((1000...65536).contains(buffer.capacity))
    append([UInt8](repeating: 0, count: 1 << 20), to: &buffer)
    buffer.consume(1 << 20)
    #expect(buffer.capacity == 0)
  }

  @Test func `the rest of a long answer returns to the output buffer without a copy`() {
    var buffer = OutputBuffer()
    let answer = [UInt8](repeating: 7, count: 1 << 20)
    buffer.append(answer)
    let address = addressOfLast(buffer)
    #expect(address != nil)
    var taken = buffer.takeAll()
    buffer.putBack(&taken, written: 1_000)
    #expect(addressOfLast(buffer) == address.map { $0 + 1_000 })
    #expect(answer.count == 1 << 20)
  }

  @Test func `the rest of a long answer moves to the front of the output buffer`() {
    var buffer = OutputBuffer()
    buffer.append((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 >> 8) })
    var taken = buffer.takeAll()
    buffer.putBack(&taken, written: 900_000)
    #expect(contents(buffer) == (900_000..<1 << 20).map { UInt8(truncatingIfNeeded: $0 >> 8) })
  }

  @Test func `an output buffer of small frames grows no further than the retained capacity`() {
    var buffer = OutputBuffer()
    while buffer.count < 60_000 {
      buffer.append(count: 70) { $0.initializeMemory(as: UInt8.self, repeating: 1, count: 70) }
    }
    let capacity = buffer.capacity
    #expect(capacity <= OutputBuffer.retainedCapacity)
    buffer.consume(buffer.count)
    #expect(buffer.capacity == capacity)
  }

  @Test func `an output buffer that is written in parts moves its bytes instead of growing`() {
    var buffer = OutputBuffer()
    append([UInt8](repeating: 0, count: 1_000), to: &buffer)
    let capacity = buffer.capacity
    for step in 0..<10_000 {
      buffer.consume(600)
      append([UInt8](repeating: UInt8(truncatingIfNeeded: step), count: 600), to: &buffer)
    }
    #expect(buffer.count == 1_000)
    #expect(contents(buffer).suffix(600).allSatisfy { $0 == UInt8(truncatingIfNeeded: 9_999) })
    #expect(buffer.capacity <= 2 * capacity)
  }

  @Test func `unwritten taken bytes return in front of bytes that were added meanwhile`() {
    for (written, expected) in [(0, [1, 2, 3, 4, 5]), (2, [3, 4, 5]), (3, [4, 5])] {
      var buffer = OutputBuffer()
      append([1, 2, 3], to: &buffer)
      var taken = buffer.takeAll()
      #expect(buffer.isEmpty == true)
      #expect(contents(taken) == [1, 2, 3])
      append([4, 5], to: &buffer)
      buffer.putBack(&taken, written: written)
      #expect(contents(buffer) == expected.map { UInt8($0) })
    }
  }

  @Test func `an output buffer reuses taken memory`() {
    var buffer = OutputBuffer()
    append([UInt8](repeating: 0, count: 1000), to: &buffer)
    let capacity = buffer.capacity
    var taken = buffer.takeAll()
    #expect(buffer.capacity == 0)
    buffer.putBack(&taken, written: 1000)
    #expect(buffer.isEmpty == true)
    #expect(buffer.capacity == capacity)
  }

  @Test func `an empty output buffer adopts many bytes without a copy`() {
    let many = [UInt8](repeating: 7, count: OutputBuffer.retainedCapacity + 1)
    var buffer = OutputBuffer()
    buffer.append(many)
    #expect(addressOfLast(buffer) == many.withUnsafeBytes { $0.baseAddress })
    buffer.append(many)
    buffer.consume(many.count - 1)
    #expect(contents(buffer) == [7] + many)
    buffer.consume(many.count + 1)
    #expect(buffer.isEmpty == true)
    buffer.append([1, 2])
    #expect(contents(buffer) == [1, 2])
  }

  // MARK: Long messages

  private func message(_ count: Int, from first: Int = 0) -> WebSocketMessage {
    .binary(Data((0..<count).map { UInt8(truncatingIfNeeded: first + $0) }))
  }

  @Test func `a long message is written from its own memory`() throws {
    let message = message(100_000)
    var buffer = OutputBuffer()
    append([1, 2], to: &buffer)
    buffer.append(message)
    #expect(buffer.count == 100_002)
    #expect(buffer.capacity < 1_000)
    let own = message.withPayload { $0.baseAddress }
    buffer.consume(3)
    buffer.withReadableParts { first, second in
      #expect(first.isEmpty)
      #expect(second.baseAddress == own.map { $0 + 1 })
      #expect(second.count == 99_999)
    }
    buffer.consume(99_999)
    #expect(buffer.isEmpty == true)
  }

  @Test func `an empty message adds nothing`() {
    var buffer = OutputBuffer()
    buffer.append(WebSocketMessage.binary(Data()))
    #expect(buffer.isEmpty == true)
  }

  @Test(arguments: UInt64(1)...20)
  func `bytes, messages and partial writes in any order keep the order of the bytes`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var buffer = OutputBuffer()
    var expected: [UInt8] = []
    var written: [UInt8] = []
    for step in 0..<300 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let bytes = (0..<Int.random(in: 0..<20, using: &random)).map {
          UInt8(truncatingIfNeeded: step + $0)
        }
        append(bytes, to: &buffer)
        expected += bytes
      case 1:
        let message = message(Int.random(in: 0..<50, using: &random), from: step)
        buffer.append(message)
        expected += message.withPayload { [UInt8]($0) }
      case 2:
        // A write, during which another thread sends.
        var taken = buffer.takeAll()
        let count = Int.random(in: 0...taken.count, using: &random)
        taken.withReadableParts { written += (Array($0) + Array($1)).prefix(count) }
        if Bool.random(using: &random) {
          append([7], to: &buffer)
          expected.append(7)
        }
        if Bool.random(using: &random) {
          let message = message(9, from: step)
          buffer.append(message)
          expected += message.withPayload { [UInt8]($0) }
        }
        buffer.putBack(&taken, written: count)
      default:
        let count = Int.random(in: 0...buffer.count, using: &random)
        written += contents(buffer).prefix(count)
        buffer.consume(count)
      }
      #expect(buffer.count == expected.count - written.count)
      #expect(buffer.isEmpty == (expected.count == written.count))
    }
    #expect(written + contents(buffer) == expected)
  }
}
