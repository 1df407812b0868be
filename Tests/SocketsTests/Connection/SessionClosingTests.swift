import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct SessionClosingTests {
  @Test(arguments: Side.allCases)
  func `5.5.1: a close frame is answered once, with its code`(side: Side) {
    var session = side.session()
    let close = side.incoming(0x88, [0x0F, 0xA1] + Array("bye".utf8))
    #expect(
      session.events(in: close + close) == [
        .peerClosed(code: CloseCode(rawValue: 4001), reason: "bye")
      ]
    )
    #expect(session.outcome?.code == 4001 && session.outcome?.reason == "bye")
    #expect(session.drain() == side.outgoing(0x88, [0x0F, 0xA1]))
  }

  @Test(arguments: Side.allCases)
  func `7.1.5: a close frame without a code is reported as 1005 and answered without one`(
    side: Side
  ) {
    var session = side.session()
    #expect(
      session.events(in: side.incoming(0x88)) == [.peerClosed(code: .noStatus, reason: "")]
    )
    #expect(session.drain() == side.outgoing(0x88))
  }

  @Test(arguments: Side.allCases)
  func `a close frame between the fragments of a message is a close frame`(side: Side) {
    var session = side.session()
    let wire = side.incoming(0x01, "half") + side.incoming(0x88, [0x03, 0xE8])
    #expect(session.events(in: wire) == [.peerClosed(code: .normal, reason: "")])
  }

  @Test(arguments: Side.allCases)
  func `data between our close frame and the peer's is delivered`(side: Side) throws {
    var session = side.session()
    session.close(.goingAway, reason: "bye")
    #expect(session.state == .disconnecting)
    #expect(session.drain() == side.outgoing(0x88, [0x03, 0xE9] + Array("bye".utf8)))
    #expect(session.outcome == nil)

    let wire =
      side.incoming(0x81, "late") + side.incoming(0x89) + side.incoming(0x88, [0x03, 0xE9])
    #expect(
      session.events(in: wire) == [
        .message(.text("late")), .peerClosed(code: .goingAway, reason: ""),
      ]
    )
    #expect(session.outcome != nil)
    // 5.5.1: neither a pong nor a second close frame follows ours.
    #expect(session.drain() == [])
  }

  @Test(arguments: Side.allCases)
  func `an error after our close frame is reported, and not sent to the peer`(side: Side) throws {
    var session = side.session()
    session.close(.normal, reason: "")
    _ = session.drain()
    #expect(session.events(in: side.incoming(0x83)) == [.failed(.reservedOpcode(3))])
    #expect(session.drain() == [])
  }

  @Test(arguments: Side.allCases)
  func `5.5.1: sends after a close frame throw, and the output does not change`(
    side: Side
  ) throws {
    var closing = side.session()
    closing.close(.normal, reason: "")
    var closed = side.session()
    _ = closed.events(in: side.incoming(0x88))
    var failed = side.session()
    _ = failed.events(in: side.incoming(0x83))
    for box in [SessionBox(closing), SessionBox(closed), SessionBox(failed)] {
      _ = box.session.drain()
      let error = WebSocketError.notConnected(.disconnecting)
      #expect(throws: error) { try box.session.send(.text("x")) }
      #expect(throws: error) { try box.session.send(.binary(Data())) }
      #expect(throws: error) { try box.session.send(PreparedMessage(.text("x"))) }
      #expect(throws: error) { try box.session.sendFragment(.text, Data(), isFinal: true) }
      #expect(throws: error) { try box.session.ping(Data()) }
      box.session.close(.normal, reason: "")
      #expect(box.session.codec.output.count == 0)
    }
  }

  @Test(arguments: [0, 999, 1004, 1006, 1015, 2999, 5000] as [UInt16])
  func `7.4: an invalid close code is reported, and 1000 is sent`(code: UInt16) {
    let code = CloseCode(rawValue: code)
    var session = Side.client.session()
    session.close(code, reason: "")
    #expect(session.events() == [.unsendable(code)])
    #expect(session.drain() == Side.client.outgoing(0x88, [0x03, 0xE8]))
  }

  @Test(arguments: Side.allCases)
  func `7.1.5: an end of the bytes without a close frame is 1006, wherever it is`(
    side: Side
  ) throws {
    let wire = side.incoming(0x81, "ab") + side.incoming(0x01, "cd") + side.incoming(0x80, "ef")
    for (head, _) in wire.splits {
      var session = side.session()
      _ = session.events(in: head)
      session.inputEnded()
      session.inputEnded()
      #expect(session.events() == [.lost])
      #expect(session.outcome?.code == .abnormal)
      #expect(session.drain() == [])
    }
    var closing = side.session()
    closing.close(.normal, reason: "")
    closing.inputEnded()
    #expect(closing.events() == [.lost] && closing.outcome?.code == .abnormal)
  }

  @Test(arguments: Side.allCases)
  func `the end of the bytes after a close frame or an error emits no event`(side: Side) {
    for end in [side.incoming(0x88), side.incoming(0x83)] {
      var session = side.session()
      _ = session.events(in: end)
      let code = session.outcome?.code
      session.inputEnded()
      #expect(session.events() == [] && session.outcome?.code == code)
    }
  }

  @Test func `two sessions that close at once both end, with one close frame each`() throws {
    var client = Side.client.session()
    var server = Side.server.session()
    client.close(.normal, reason: "")
    server.close(.goingAway, reason: "")
    let (fromClient, fromServer) = (client.drain(), server.drain())
    #expect(client.events(in: fromServer) == [.peerClosed(code: .goingAway, reason: "")])
    #expect(server.events(in: fromClient) == [.peerClosed(code: .normal, reason: "")])
    #expect(client.codec.output.isEmpty && server.codec.output.isEmpty)
  }
}
