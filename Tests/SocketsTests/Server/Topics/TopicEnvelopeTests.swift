import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("An envelope of a topic", .workerPool)
struct TopicEnvelopeTests {
  private static let origin = TopicOrigin(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

  private static let contents: [TopicEnvelope.Content] = [
    .message(.text(""), limit: 0, slowClients: .skipped),
    .message(.text("grüße 🌍"), limit: 1 << 20, slowClients: .closed),
    .message(.binary(Data()), limit: Int(UInt32.max), slowClients: .skipped),
    .message(.binary(Data([0, 0xFF, 0x0D, 0x0A])), limit: 7, slowClients: .closed),
    .presenceAsked,
    .presence(0),
    .presence(3_000),
  ]

  private func envelope(_ content: TopicEnvelope.Content) -> TopicEnvelope {
    TopicEnvelope(origin: Self.origin, content: content)
  }

  @Test(arguments: contents)
  func `an envelope is read as it was written, also from the middle of other bytes`(
    content: TopicEnvelope.Content
  ) throws {
    let written = envelope(content)
    #expect(try TopicEnvelope(written.bytes) == written)
    let padded = Data([9, 9, 9]) + written.bytes
    #expect(try TopicEnvelope(padded.dropFirst(3)) == written)
  }

  @Test func `the bytes of version 1 do not change`() {
    let origin = Data(1...16)
    let text = envelope(.message(.text("hi"), limit: 256, slowClients: .closed))
    #expect(text.bytes == Data([1, 0]) + origin + Data([1, 0, 0, 1, 0, 0x68, 0x69]))
    let binary = envelope(.message(.binary(Data([7])), limit: 1, slowClients: .skipped))
    #expect(binary.bytes == Data([1, 1]) + origin + Data([0, 0, 0, 0, 1, 7]))
    #expect(envelope(.presenceAsked).bytes == Data([1, 2]) + origin)
    #expect(envelope(.presence(258)).bytes == Data([1, 3]) + origin + Data([0, 0, 1, 2]))
  }

  @Test func `limits and counts that do not fit are clamped`() throws {
    let huge = envelope(.message(.text("a"), limit: .max, slowClients: .skipped))
    #expect(
      try TopicEnvelope(huge.bytes).content
        == .message(.text("a"), limit: Int(UInt32.max), slowClients: .skipped))
    let negative = envelope(.message(.text("a"), limit: -1, slowClients: .skipped))
    #expect(
      try TopicEnvelope(negative.bytes).content
        == .message(.text("a"), limit: 0, slowClients: .skipped))
    #expect(try TopicEnvelope(envelope(.presence(-1)).bytes).content == .presence(0))
  }

  @Test(arguments: contents)
  func `every beginning of an envelope is an envelope or an error`(content: TopicEnvelope.Content)
    throws
  {
    let bytes = envelope(content).bytes
    for length in 0..<bytes.count {
      do throws(MalformedTopicMessage) {
        let read = try TopicEnvelope(bytes.prefix(length))
        guard case .message = read.content else {
          Issue.record("\(length) bytes are \(read)")
          continue
        }
      } catch {
        #expect(error == .truncated(length: length) || error == .invalidText)
      }
    }
  }

  @Test func `hostile bytes are errors of their kind`() {
    let origin = Data(1...16)
    let wrong: [(Data, MalformedTopicMessage)] = [
      (Data(), .truncated(length: 0)),
      (Data("hello".utf8), .unknownVersion(0x68)),
      (Data([1]), .truncated(length: 1)),
      (Data([1, 4]) + origin, .unknownKind(4)),
      (Data([1, 255]) + origin + Data([1]), .unknownKind(255)),
      (Data([1, 0]) + origin + Data([0, 0, 0, 0, 0, 0xFF]), .invalidText),
      (Data([1, 3]) + origin + Data([1, 2, 3]), .truncated(length: 21)),
    ]
    for (bytes, error) in wrong {
      #expect(throws: error) { _ = try TopicEnvelope(bytes) }
      #expect(!error.description.isEmpty)
    }
  }

  @Test func `random bytes never trap`() {
    var random = SeededGenerator(seed: 7)
    var read = 0
    for _ in 0..<20_000 {
      let length = Int.random(in: 0..<40, using: &random)
      var bytes = Data((0..<length).map { _ in UInt8(random.next() & 0xFF) })
      if !bytes.isEmpty, Bool.random(using: &random) { bytes[0] = 1 }
      if bytes.count > 1, Bool.random(using: &random) { bytes[1] &= 3 }
      if (try? TopicEnvelope(bytes)) != nil { read += 1 }
    }
    #expect(read > 100)
  }
}
