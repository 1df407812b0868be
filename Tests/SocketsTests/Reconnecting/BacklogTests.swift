import TestSupport
import Testing

@testable import Sockets

@Suite("Messages that wait for a connection", .workerPool)
struct BacklogTests {
  @Test func `a backlog keeps the order of messages, and refuses them above the limit`() throws {
    let backlog = TextBacklog(.queue(limit: 2))
    try backlog.add("a", in: .connecting)
    try backlog.add("b")
    #expect(throws: WebSocketError.backlogFull(limit: 2)) { try backlog.add("c") }
    #expect(backlog.taken() == ["a", "b"])
  }

  @Test func `a backlog drops the oldest message by policy`() throws {
    let backlog = TextBacklog(.dropOldest(limit: 2))
    for text in ["a", "b", "c"] { try backlog.add(text) }
    #expect(backlog.dropped == ["a"])
    #expect(backlog.taken() == ["b", "c"])
  }

  @Test func `a backlog refuses all messages when the policy is to fail`() throws {
    let backlog = TextBacklog(.fail)
    #expect(throws: WebSocketError.notConnected(.connecting)) {
      try backlog.add("a", in: .connecting)
    }
    #expect(!backlog.requeue(1, "b"))
    #expect(backlog.taken() == [])
  }

  @Test func `messages that return to a backlog precede later ones`() throws {
    let backlog = TextBacklog(.queue(limit: 3))
    #expect(backlog.requeue(1, "a"))
    try backlog.add("c")
    #expect(backlog.requeue(2, "b"))
    #expect(throws: WebSocketError.backlogFull(limit: 3)) { try backlog.add("d") }
    #expect(backlog.taken() == ["a", "b", "c"])
  }

  @Test func `requests that are sent again precede all other messages, whatever the limit`() throws
  {
    for policy in [BacklogPolicy.queue(limit: 3), .fail] {
      let backlog = TextBacklog(policy)
      let isRequeued = backlog.requeue(1, "b")
      try? backlog.add("c")
      backlog.repeatFirst("a", of: RequestTicket(1))
      #expect(backlog.taken() == (isRequeued ? ["a", "b", "c"] : ["a"]))
    }
  }

  @Test func `requests that have ended leave the backlog, and make room in it`() throws {
    let backlog = TextBacklog(.queue(limit: 4))
    let tickets = (0..<3).map { RequestTicket($0) }
    try backlog.add("first")
    for ticket in tickets { try backlog.add("\(ticket.number)", of: ticket) }
    #expect(throws: WebSocketError.backlogFull(limit: 4)) { try backlog.add("second") }
    tickets[1].end()
    backlog.withdrew()
    try backlog.add("second")
    #expect(throws: WebSocketError.backlogFull(limit: 4)) { try backlog.add("third") }
    for ticket in [tickets[0], tickets[2]] {
      ticket.end()
      backlog.withdrew()
    }
    #expect(backlog.taken() == ["first", "second"])
  }
}

extension RequestTicket {
  /// A ticket of a request with this number as its key.
  convenience init(_ number: Int) {
    self.init(number: number, key: RequestKey(namespace: 0, value: AnyHashable(number)))
  }
}

/// A backlog of text messages.
private final class TextBacklog {
  private var backlog: Backlog
  private(set) var dropped: [String?] = []

  init(_ policy: BacklogPolicy) { backlog = Backlog(policy) }

  func add(_ text: String, in state: WebSocketState = .disconnected) throws(WebSocketError) {
    if let message = try backlog.add(.text(text), in: state) {
      dropped.append(message.message.text)
    }
  }

  func requeue(_ number: Int, _ text: String) -> Bool {
    backlog.requeue(PendingMessage(origin: .send(number: number), message: .text(text)))
  }

  func add(_ text: String, of ticket: RequestTicket) throws(WebSocketError) {
    _ = try backlog.add(.text(text), of: ticket, in: .disconnected)
  }

  func repeatFirst(_ text: String, of ticket: RequestTicket) {
    backlog.repeatFirst([PendingMessage(origin: .request(ticket), message: .text(text))])
  }

  func withdrew() { backlog.withdrew() }

  func taken() -> [String?] {
    var taken: [String?] = []
    while let next = backlog.popFirst() { taken.append(next.message.text) }
    return taken
  }
}
