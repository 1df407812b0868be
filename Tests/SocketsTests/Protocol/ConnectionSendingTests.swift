import Foundation
import Testing

@testable import Sockets

@Suite struct ConnectionSendingTests {
  @Test(arguments: Side.allCases)
  func `messages, pings and pongs are written in order`(side: Side) throws {
    var connection = side.connection()
    try connection.send(.text("é"))
    try connection.send(.binary(Data([1, 2])))
    try Array("raw".utf8).withUnsafeBytes { try connection.sendText($0) }
    try [3, 4].withUnsafeBytes {
      try connection.sendBinary(UnsafeRawBufferPointer(rebasing: $0[..<1]))
    }
    try connection.ping(Data([5]))
    try connection.pong()
    let expected =
      side.outgoing(0x81, [0xC3, 0xA9]) + side.outgoing(0x82, [1, 2])
      + side.outgoing(0x81, Array("raw".utf8)) + side.outgoing(0x82, [3])
      + side.outgoing(0x89, [5]) + side.outgoing(0x8A)
    #expect(connection.drain() == expected)
  }

  @Test(arguments: Side.allCases)
  func `5.5: a ping or pong takes 125 bytes and no more`(side: Side) throws {
    var connection = side.connection()
    try connection.ping(Data(repeating: 1, count: 125))
    _ = connection.drain()
    #expect(throws: SendError.controlPayloadTooLong(length: 126)) {
      try connection.ping(Data(repeating: 1, count: 126))
    }
    #expect(throws: SendError.controlPayloadTooLong(length: 126)) {
      try connection.pong(Data(repeating: 1, count: 126))
    }
    #expect(connection.output.isEmpty)
  }

  @Test func `what one side sends the other receives`() throws {
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

  @Test func `each reason for not sending has a line of its own`() {
    let errors: [SendError] = [
      .notOpen, .closeCodeNotSendable(.abnormal), .controlPayloadTooLong(length: 126),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
  }
}
