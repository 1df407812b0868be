import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("The table of a socket's requests", .workerPool)
struct RequestTableTests {
  private func request(
    _ id: Int, _ reader: ReplyReader = ReplyReader(\Header.id, nil),
    whenLost: LostRequestPolicy = .fail
  ) -> OutgoingRequest {
    OutgoingRequest(
      .text("\(id)"), key: id, reader, timeout: .seconds(1), whenLost: whenLost
    ) { _ in }
  }

  @Test func `a request is removed once`() throws {
    let table = TableProbe()
    let ticket = try #require(table.add(request(1)))
    #expect(!ticket.isOver && table.count == 1)
    #expect(table.remove(ticket) != nil)
    #expect(ticket.isOver && table.count == 0)
    #expect(table.remove(ticket) == nil && table.abandon(ticket) == nil)
    // The key belongs to another request now.
    let next = try #require(table.add(request(1)))
    #expect(table.remove(ticket) == nil && table.removeUnsent(ticket) == nil)
    #expect(!table.markSent(ticket) && table.markSent(next))
    #expect(table.removeUnsent(next) == nil && table.remove(next) != nil)
  }

  @Test func `a reader is used while a request waits or may have a late reply`() throws {
    let table = TableProbe()
    let tickets = try (0..<2).map { try #require(table.add(request($0))) }
    _ = table.add(request(0, ReplyReader(\Answer.id, nil)))
    let header = try #require(table.readers.first)
    #expect(table.readers.count == 2)
    for ticket in tickets { _ = table.abandon(ticket) }
    for id in 0..<2 {
      #expect(table.readers.count == 2)
      guard case .late = table.match(AnyHashable(id), read: header) else {
        Issue.record("not late")
        continue
      }
    }
    #expect(table.readers.map { $0.reader.isSame(as: header.reader) } == [false])
    guard case .none = table.match(AnyHashable(0), read: header) else {
      Issue.record("it matches another header's request")
      return
    }
  }

  @Test func `readers of one key path and two decoders share the keys`() throws {
    let table = TableProbe()
    let other = ReplyReader(\Header.id, JSONDecoder())
    _ = table.add(request(1))
    #expect(table.add(request(1, other)) == nil)
    #expect(table.readers.count == 1)
    #expect(table.add(request(2, other)) != nil)
    #expect(table.readers.count == 2)
    // The first reader does not find the request of the second one.
    guard case .none = table.match(AnyHashable(2), read: table.readers[0]),
      case .reply = table.match(AnyHashable(2), read: table.readers[1])
    else {
      Issue.record("the wrong reader")
      return
    }
  }

  @Test func `a loss concerns sent requests only, in the order of their starts`() throws {
    let table = TableProbe()
    var sent: [Int] = []
    for id in 0..<30 {
      let whenLost = id % 3 == 0 ? LostRequestPolicy.resend : .fail
      let ticket = try #require(table.add(request(id, whenLost: whenLost)))
      if id % 2 == 0 {
        #expect(table.markSent(ticket))
        sent.append(ticket.number)
      }
    }
    let (failed, repeated) = table.loseConnection(.connectionLost, isFinal: false)
    #expect(failed.map(\.ticket.number) == sent.filter { $0 % 3 != 1 })
    #expect(repeated.map(\.0.number) == sent.filter { $0 % 3 == 1 })
    #expect(repeated.map(\.1) == stride(from: 0, to: 30, by: 6).map { .text("\($0)") })
    #expect(table.count == 30 - failed.count)
    // Those to be sent again count as queued from now on.
    let (again, none) = table.loseConnection(.connectionLost, isFinal: false)
    #expect(again.isEmpty && none.isEmpty)
  }

  @Test func `late replies of an ended connection are not expected`() throws {
    let table = TableProbe()
    _ = table.abandon(try #require(table.add(request(1))))
    #expect(table.readers.count == 1)
    _ = table.loseConnection(.connectionLost, isFinal: false)
    #expect(table.readers.isEmpty)
  }

  @Test func `a request that is accepted by an ended socket is lost`() throws {
    let table = TableProbe()
    let ticket = try #require(table.add(request(1, whenLost: .resend)))
    let (failed, _) = table.loseConnection(.connectionLost, isFinal: true)
    #expect(failed.isEmpty)
    #expect(table.noteSent(ticket)?.1 == .connectionLost)
    #expect(table.count == 0)
  }
}

/// A table whose methods a test calls inside of an expectation.
private final class TableProbe {
  private var table = RequestTable()

  var count: Int { table.count }
  var readers: [RequestTable.ActiveReader] { table.readers }

  func add(_ request: OutgoingRequest) -> RequestTicket? { table.add(request) }
  func remove(_ ticket: RequestTicket) -> WaitingRequest? { table.remove(ticket) }
  func removeUnsent(_ ticket: RequestTicket) -> WaitingRequest? { table.removeUnsent(ticket) }
  func abandon(_ ticket: RequestTicket) -> WaitingRequest? { table.abandon(ticket) }
  func markSent(_ ticket: RequestTicket) -> Bool { table.markSent(ticket) }
  func match(_ key: AnyHashable, read reader: RequestTable.ActiveReader) -> RequestTable.Match {
    table.match(key, read: reader)
  }
  func loseConnection(
    _ error: WebSocketError, isFinal: Bool
  ) -> (failed: [WaitingRequest], repeated: [(RequestTicket, WebSocketMessage)]) {
    table.loseConnection(error, isFinal: isFinal)
  }
  func noteSent(_ ticket: RequestTicket) -> (WaitingRequest, WebSocketError)? {
    table.noteSent(ticket)
  }
}
