import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct FrameTests {
  @Test func `the initializers of frames make whole messages and control frames`() {
    #expect(Frame.text("é") == Frame(isFinal: true, opcode: .text, payload: Data([0xC3, 0xA9])))
    #expect(Frame.binary(Data([1])) == Frame(opcode: .binary, payload: Data([1])))
    #expect(Frame.ping() == Frame(opcode: .ping))
    #expect(Frame.pong(Data([2])) == Frame(opcode: .pong, payload: Data([2])))
    #expect(Frame.close() == Frame(opcode: .close))
    #expect(Frame.close(.normal, reason: "k").payload == Data([0x03, 0xE8, 0x6B]))
  }
}

@Suite(.workerPool) struct WebSocketMessageTests {
  @Test func `a text frame has text and UTF-8 data, a binary frame has data only`() {
    #expect(WebSocketMessage.text("é").text == "é")
    #expect(WebSocketMessage.text("é").data == Data([0xC3, 0xA9]))
    #expect(WebSocketMessage.binary(Data([0x61])).text == nil)
    #expect(WebSocketMessage.binary(Data([0x61])).data == Data([0x61]))
  }
}
