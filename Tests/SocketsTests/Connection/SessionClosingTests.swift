import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ConnectionClosingTests {
  @Test(arguments: Side.allCases)
  func `5.5.1: a close frame is answered once, with its code`(side: Side) {
    var connection = side.connection()
    let close = side.incoming(0x88, [0x0F, 0xA1] + Array("bye".utf8))
    #expect(
      connection.events(in: close + close) == [
        .peerClosed(code: CloseCode(rawValue: 4001), reason: "bye")
      ]
    )
    #expect(connection.outcome?.code == 4001 && connection.outcome?.reason == "bye")
    #expect(connection.drain() == side.outgoing(0x88, [0x0F, 0xA1]))
  }

  @Test(arguments: Side.allCases)
  func `7.1.5: a close frame without a code is reported as 1005 and answered without one`(
    side: Side
  ) {
    var connection = side.connection()
    #expect(
      connection.events(in: side.incoming(0x88)) == [.peerClosed(code: .noStatus, reason: "")]
    )
    #expect(connection.drain() == side.outgoing(0x88))
  }

  @Test(arguments: Side.allCases)
  func `a close frame between the fragments of a message is a close frame`(side: Side) {
    var connection = side.connection()
    let wire = side.incoming(0x01, "half") + side.incoming(0x88, [0x03, 0xE8])
    #expect(connection.events(in: wire) == [.peerClosed(code: .normal, reason: "")])
  }

  @Test(arguments: Side.allCases)
  func `data between our close frame and the peer's is delivered`(side: Side) throws {
    var connection = side.connection()
    connection.close(.goingAway, reason: "bye")
    #expect(connection.state == .disconnecting)
    #expect(connection.drain() == side.outgoing(0x88, [0x03, 0xE9] + Array("bye".utf8)))
    #expect(!connection.isOver)

    let wire =
      side.incoming(0x81, "late") + side.incoming(0x89) + side.incoming(0x88, [0x03, 0xE9])
    #expect(
      connection.events(in: wire) == [
        .message(.text("late")), .peerClosed(code: .goingAway, reason: ""),
      ]
    )
    #expect(connection.isOver)
    // 5.5.1: neither a pong nor a second close frame follows ours.
    #expect(connection.drain() == [])
  }

  @Test(arguments: Side.allCases)
  func `an error after our close frame is reported, and not sent to the peer`(side: Side) throws {
    var connection = side.connection()
    connection.close(.normal, reason: "")
    _ = connection.drain()
    #expect(connection.events(in: side.incoming(0x83)) == [.failed(.reservedOpcode(3))])
    #expect(connection.drain() == [])
  }

  @Test(arguments: Side.allCases)
  func `5.5.1: sends after a close frame throw, and the output does not change`(
    side: Side
  ) throws {
    var closing = side.connection()
    closing.close(.normal, reason: "")
    var closed = side.connection()
    _ = closed.events(in: side.incoming(0x88))
    var failed = side.connection()
    _ = failed.events(in: side.incoming(0x83))
    for var connection in [closing, closed, failed] {
      _ = connection.drain()
      let error = WebSocketError.notConnected(.disconnecting)
      #expect(throws: error) { try connection.send(.text("x")) }
      #expect(throws: error) { try connection.send(.binary(Data())) }
      #expect(throws: error) { try connection.send(PreparedMessage(.text("x"))) }
      #expect(throws: error) { try connection.sendFragment(.text, Data(), isFinal: true) }
      #expect(throws: error) { try connection.ping(Data()) }
      connection.close(.normal, reason: "")
      #expect(connection.codec.output.isEmpty)
    }
  }

  @Test(arguments: [0, 999, 1004, 1006, 1015, 2999, 5000] as [UInt16])
  func `7.4: an invalid close code is reported, and 1000 is sent`(code: UInt16) {
    let code = CloseCode(rawValue: code)
    var connection = Side.client.connection()
    connection.close(code, reason: "")
    #expect(connection.events() == [.unsendable(code)])
    #expect(connection.drain() == Side.client.outgoing(0x88, [0x03, 0xE8]))
  }

  @Test(arguments: Side.allCases)
  func `7.1.5: an end of the bytes without a close frame is 1006, wherever it is`(
    side: Side
  ) throws {
    let wire = side.incoming(0x81, "ab") + side.incoming(0x01, "cd") + side.incoming(0x80, "ef")
    for (head, _) in wire.splits {
      var connection = side.connection()
      _ = connection.events(in: head)
      connection.inputEnded()
      connection.inputEnded()
      #expect(connection.events() == [.lost])
      #expect(connection.outcome?.code == .abnormal)
      #expect(connection.drain() == [])
    }
    var closing = side.connection()
    closing.close(.normal, reason: "")
    closing.inputEnded()
    #expect(closing.events() == [.lost] && closing.outcome?.code == .abnormal)
  }

  @Test(arguments: Side.allCases)
  func `the end of the bytes after a close frame or an error emits no event`(side: Side) {
    for end in [side.incoming(0x88), side.incoming(0x83)] {
      var connection = side.connection()
      _ = connection.events(in: end)
      let code = connection.outcome?.code
      connection.inputEnded()
      #expect(connection.events() == [] && connection.outcome?.code == code)
    }
  }

  @Test func `two connections that close at once both end, with one close frame each`() throws {
    var (client, server) = (Side.client.connection(), Side.server.connection())
    client.close(.normal, reason: "")
    server.close(.goingAway, reason: "")
    let (fromClient, fromServer) = (client.drain(), server.drain())
    #expect(client.events(in: fromServer) == [.peerClosed(code: .goingAway, reason: "")])
    #expect(server.events(in: fromClient) == [.peerClosed(code: .normal, reason: "")])
    #expect(client.codec.output.isEmpty && server.codec.output.isEmpty)
  }
}
