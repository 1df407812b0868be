import TestSupport
import Testing

@testable import ReactiveTesting

@Suite("Bytes of a transport in memory", .workerPool) struct MemoryInboxTests {
  private func text(_ append: MemoryInbox.Append) -> String {
    switch append {
    case .accepted(let count, let mustDeliver): "\(count)\(mustDeliver ? " deliver" : "")"
    case .refused: "refused"
    }
  }

  private func text(_ take: MemoryInbox.Take) -> String {
    switch take {
    case .nothing: "nothing"
    case .end: "end"
    case .bytes(let bytes, let writerWaits): "\(bytes)\(writerWaits ? " room" : "")"
    }
  }

  private func put(_ bytes: [UInt8], into inbox: inout MemoryInbox) -> String {
    text(bytes.withUnsafeBytes { inbox.append($0) })
  }

  @Test func `the first bytes schedule one delivery`() {
    var inbox = MemoryInbox(capacity: 10)
    #expect(put([], into: &inbox) == "0")
    #expect(put([1], into: &inbox) == "1 deliver")
    #expect(put([2, 3], into: &inbox) == "2")
    #expect(text(inbox.take(atMost: 10)) == "[1, 2, 3]")
    #expect(text(inbox.take(atMost: 10)) == "nothing")
    #expect(put([4], into: &inbox) == "1 deliver")
  }

  @Test func `bytes that do not fit stay with the writer, which is notified of room once`() {
    var inbox = MemoryInbox(capacity: 3)
    #expect(put([1, 2, 3, 4, 5], into: &inbox) == "3 deliver")
    #expect(put([4], into: &inbox) == "0")
    #expect(text(inbox.take(atMost: 1)) == "[1] room")
    #expect(text(inbox.take(atMost: 1)) == "[2]")
    #expect(put([4, 5], into: &inbox) == "2")
    #expect(text(inbox.take(atMost: 9)) == "[3, 4, 5]")
  }

  @Test func `the end follows the bytes, and no bytes follow the end`() {
    var inbox = MemoryInbox(capacity: 3)
    _ = put([1, 2], into: &inbox)
    inbox.end()
    #expect(put([3], into: &inbox) == "refused")
    #expect(text(inbox.take(atMost: 1)) == "[1]")
    #expect(text(inbox.take(atMost: 1)) == "[2]")
    for _ in 0..<2 { #expect(text(inbox.take(atMost: 1)) == "end") }
  }

  @Test func `a reader that closes drops the queued bytes, and unblocks a waiting writer`() {
    for count in [2, 4] {
      var inbox = MemoryInbox(capacity: 3)
      _ = put(Array(repeating: 0, count: count), into: &inbox)
      #expect(inbox.close() == (count > 3))
      #expect(text(inbox.take(atMost: 9)) == "nothing")
      // A later end restores nothing.
      inbox.end()
      #expect(text(inbox.take(atMost: 9)) == "nothing")
      #expect(put([1], into: &inbox) == "refused")
    }
  }
}
