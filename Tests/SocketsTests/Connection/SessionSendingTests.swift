import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ConnectionSendingTests {
  @Test(arguments: Side.allCases)
  func `messages and pings are written in order`(side: Side) throws {
    var connection = side.connection()
    try connection.send(.text("é"))
    try connection.send(.binary(Data([1, 2])))
    try connection.ping(Data([5]))
    let expected =
      side.outgoing(0x81, [0xC3, 0xA9]) + side.outgoing(0x82, [1, 2])
      + side.outgoing(0x89, [5])
    #expect(connection.drain() == expected)
  }

  @Test(arguments: Side.allCases)
  func `5.4: only control frames are sent between fragments, and messages wait`(side: Side) throws {
    var connection = side.connection()
    try connection.sendFragment(.text, Data("a".utf8), isFinal: false)
    #expect(connection.codec.isMidMessage)
    try connection.send(.text("next"))
    try connection.send(.binary(Data([7])))
    let written = connection.codec.output.count
    #expect(connection.codec.queuedBytes == written + 5)
    try connection.ping(Data([5]))
    try connection.sendFragment(.text, Data(), isFinal: false)
    try connection.sendFragment(.text, Data("b".utf8), isFinal: true)
    #expect(!connection.codec.isMidMessage)
    #expect(connection.codec.queuedBytes == connection.codec.output.count)
    let expected =
      side.outgoing(0x01, [0x61]) + side.outgoing(0x89, [5]) + side.outgoing(0x00)
      + side.outgoing(0x80, [0x62]) + side.outgoing(0x81, Array("next".utf8))
      + side.outgoing(0x82, [7])
    #expect(connection.drain() == expected)
    #expect(connection.codec.counts.messagesSent == 3 && connection.codec.counts.framesSent == 6)
  }

  @Test(arguments: Side.allCases)
  func `5.5.1: no frame follows a close frame, queued messages included`(side: Side) throws {
    var connection = side.connection()
    try connection.sendFragment(.binary, Data([1]), isFinal: false)
    try connection.send(.text("never"))
    #expect(connection.codec.counts.messagesSent == 1)
    connection.close(.internalError, reason: "")
    #expect(!connection.codec.isMidMessage)
    #expect(connection.codec.queuedBytes == connection.codec.output.count)
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try connection.sendFragment(.binary, Data([2]), isFinal: true)
    }
    #expect(connection.drain() == side.outgoing(0x02, [1]) + side.outgoing(0x88, [0x03, 0xF3]))
  }

  @Test(arguments: Side.allCases, [0x88, 0x8F, nil])
  func `queued messages are dropped when the peer closes, breaks the protocol or disconnects`(
    side: Side, first: UInt8?
  ) throws {
    var connection = side.connection()
    try connection.sendFragment(.binary, Data([1]), isFinal: false)
    try connection.send(.text("never"))
    if let first {
      _ = connection.events(in: side.incoming(first))
    } else {
      connection.inputEnded()
    }
    #expect(connection.isOver)
    #expect(!connection.codec.isMidMessage)
    #expect(connection.codec.queuedBytes == connection.codec.output.count)
  }

  @Test(arguments: Side.allCases)
  func `5.5: a ping has at most 125 bytes`(side: Side) throws {
    var connection = side.connection()
    try connection.ping(Data(repeating: 1, count: 125))
    _ = connection.drain()
    #expect(throws: WebSocketError.controlPayloadTooLong(length: 126)) {
      try connection.ping(Data(repeating: 1, count: 126))
    }
    #expect(connection.codec.output.isEmpty)
  }

  @Test func `the frames of one side are received by the other`() throws {
    let messages: [WebSocketMessage] = [
      .text(""), .text("ascii"), .text("日本語 😀"), .binary(Data()),
      .binary(Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0) })),
      .text(String(repeating: "é", count: 40_000)),
    ]
    for side in Side.allCases {
      var sender = side.connection()
      var receiver = (side == .client ? Side.server : .client).connection()
      for message in messages { try sender.send(message) }
      #expect(receiver.events(in: sender.drain()) == messages.map { .message($0) })
    }
  }
}
