import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct SessionSendingTests {
  @Test(arguments: Side.allCases)
  func `messages and pings are written in order`(side: Side) throws {
    var session = side.session()
    try session.send(.text("é"))
    try session.send(.binary(Data([1, 2])))
    try session.ping(Data([5]))
    let expected =
      side.outgoing(0x81, [0xC3, 0xA9]) + side.outgoing(0x82, [1, 2])
      + side.outgoing(0x89, [5])
    #expect(session.drain() == expected)
  }

  @Test(arguments: Side.allCases)
  func `5.4: only control frames are sent between fragments, and messages wait`(side: Side) throws {
    var session = side.session()
    try session.sendFragment(.text, Data("a".utf8), isFinal: false)
    #expect(session.codec.isSendingFragments == true)
    try session.send(.text("next"))
    try session.send(.binary(Data([7])))
    let written = session.codec.output.count
    #expect(session.codec.queuedBytes == written + 5)
    try session.ping(Data([5]))
    try session.sendFragment(.text, Data(), isFinal: false)
    try session.sendFragment(.text, Data("b".utf8), isFinal: true)
    #expect(session.codec.isSendingFragments == false)
    #expect(session.codec.queuedBytes == session.codec.output.count)
    let expected =
      side.outgoing(0x01, [0x61]) + side.outgoing(0x89, [5]) + side.outgoing(0x00)
      + side.outgoing(0x80, [0x62]) + side.outgoing(0x81, Array("next".utf8))
      + side.outgoing(0x82, [7])
    #expect(session.drain() == expected)
    #expect(session.codec.counts.messagesSent == 3 && session.codec.counts.framesSent == 6)
  }

  @Test(arguments: Side.allCases)
  func `5.5.1: no frame follows a close frame, queued messages included`(side: Side) throws {
    var session = side.session()
    try session.sendFragment(.binary, Data([1]), isFinal: false)
    try session.send(.text("never"))
    #expect(session.codec.counts.messagesSent == 1)
    session.close(.internalError, reason: "")
    #expect(session.codec.isSendingFragments == false)
    #expect(session.codec.queuedBytes == session.codec.output.count)
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try session.sendFragment(.binary, Data([2]), isFinal: true)
    }
    #expect(session.drain() == side.outgoing(0x02, [1]) + side.outgoing(0x88, [0x03, 0xF3]))
  }

  @Test(arguments: Side.allCases, [0x88, 0x8F, nil])
  func `queued messages are dropped when the peer closes, breaks the protocol or disconnects`(
    side: Side, first: UInt8?
  ) throws {
    var session = side.session()
    try session.sendFragment(.binary, Data([1]), isFinal: false)
    try session.send(.text("never"))
    if let first {
      _ = session.events(in: side.incoming(first))
    } else {
      session.inputEnded()
    }
    #expect(session.outcome != nil)
    #expect(session.codec.isSendingFragments == false)
    #expect(session.codec.queuedBytes == session.codec.output.count)
  }

  @Test(arguments: Side.allCases)
  func `5.5: a ping has at most 125 bytes`(side: Side) throws {
    var session = side.session()
    try session.ping(Data(repeating: 1, count: 125))
    _ = session.drain()
    #expect(throws: WebSocketError.controlPayloadTooLong(length: 126)) {
      try session.ping(Data(repeating: 1, count: 126))
    }
    #expect(session.codec.output.count == 0)
  }

  @Test func `the frames of one side are received by the other`() throws {
    let messages: [WebSocketMessage] = [
      .text(""), .text("ascii"), .text("日本語 😀"), .binary(Data()),
      .binary(Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0) })),
      .text(String(repeating: "é", count: 40_000)),
    ]
    for side in Side.allCases {
      var sender = side.session()
      var receiver = (side == .client ? Side.server : .client).session()
      for message in messages { try sender.send(message) }
      #expect(receiver.events(in: sender.drain()) == messages.map { .message($0) })
    }
  }
}
