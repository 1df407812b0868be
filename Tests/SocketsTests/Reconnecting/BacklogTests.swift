import TestSupport
import Testing

@testable import Sockets

@Suite("The messages that wait for a connection", .workerPool)
struct BacklogTests {
  @Test func `wait in order, and are refused beyond the limit`() throws {
    let backlog = Waiting(.queue(limit: 2))
    try backlog.add("a", in: .connecting)
    try backlog.add("b")
    #expect(throws: WebSocketError.backlogFull(limit: 2)) { try backlog.add("c") }
    #expect(backlog.taken() == ["a", "b"])
  }

  @Test func `give way to newer ones when the policy says so`() throws {
    let backlog = Waiting(.dropOldest(limit: 2))
    for text in ["a", "b", "c"] { try backlog.add(text) }
    #expect(backlog.dropped == ["a"])
    #expect(backlog.taken() == ["b", "c"])
  }

  @Test func `do not wait when the policy is to fail`() throws {
    let backlog = Waiting(.fail)
    #expect(throws: WebSocketError.notConnected(.connecting)) {
      try backlog.add("a", in: .connecting)
    }
    #expect(!backlog.requeue(1, "b"))
    #expect(backlog.taken() == [])
  }

  @Test func `go before those that came later when they come back`() throws {
    let backlog = Waiting(.queue(limit: 3))
    #expect(backlog.requeue(1, "a"))
    try backlog.add("c")
    #expect(backlog.requeue(2, "b"))
    #expect(throws: WebSocketError.backlogFull(limit: 3)) { try backlog.add("d") }
    #expect(backlog.taken() == ["a", "b", "c"])
  }
}

/// A backlog of texts.
private final class Waiting {
  private var backlog: Backlog
  private(set) var dropped: [String?] = []

  init(_ policy: BacklogPolicy) { backlog = Backlog(policy) }

  func add(_ text: String, in state: WebSocketState = .disconnected) throws(WebSocketError) {
    if let message = try backlog.add(.text(text), in: state) {
      dropped.append(message.message.text)
    }
  }

  func requeue(_ number: Int, _ text: String) -> Bool {
    backlog.requeue(PendingMessage(number: number, message: .text(text)))
  }

  func taken() -> [String?] {
    var taken: [String?] = []
    while let next = backlog.popFirst() { taken.append(next.message.text) }
    return taken
  }
}
