import Foundation
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct CableFrameTests {
  @Test func `a binary message is not a cable frame`() {
    #expect(CableFrame(.text(#"{"type":"welcome"}"#) as WebSocketMessage) == .welcome)
    #expect(CableFrame(.binary(Data(#"{"type":"welcome"}"#.utf8))) == nil)
  }

  @Test func `a cable frame parses all messages of a server`() {
    let identifier = #"{"channel":"Echo"}"#
    let quoted = JSONValue.string(identifier).text
    let frames: [(String, CableFrame)] = [
      (#"{"type":"welcome"}"#, .welcome),
      (#"{"type":"ping","message":1795223905}"#, .ping),
      (
        #"{"type":"disconnect","reason":"unauthorized","reconnect":false}"#,
        .disconnect(reason: "unauthorized", reconnect: false)
      ),
      (
        #"{"type":"disconnect","reason":null,"reconnect":true}"#,
        .disconnect(reason: nil, reconnect: true)
      ),
      // The official client does not reconnect then.
      (#"{"type":"disconnect"}"#, .disconnect(reason: nil, reconnect: false)),
      (
        #"{"identifier":\#(quoted),"type":"confirm_subscription"}"#,
        .confirmation(identifier: identifier)
      ),
      (
        #"{"identifier":\#(quoted),"type":"reject_subscription"}"#,
        .rejection(identifier: identifier)
      ),
    ]
    for (text, frame) in frames { #expect(CableFrame(text) == frame) }
  }

  @Test(arguments: ["\"text\"", "12", "false", "null", "[1]", #"{"type":"ping"}"#])
  func `a message can be any JSON value, also null and one that looks like a ping`(value: String)
    throws
  {
    let frame = CableFrame(#"{"identifier":"x","message":\#(value)}"#)
    #expect(frame == .message(identifier: "x", try JSONValue(parsing: value)))
  }

  @Test(
    arguments: [
      "", "hello", "[]", "17", "null", "{}", #"{"type":"dance"}"#, #"{"type":17}"#,
      #"{"identifier":"x"}"#, #"{"identifier":7,"message":1}"#, #"{"message":1}"#,
      #"{"type":"confirm_subscription"}"#, #"{"type":"reject_subscription","identifier":null}"#,
      "{\"type\":\"welcome\"", "\u{0}", "\u{FEFF}{}x",
    ])
  func `J14, A9: unknown frames are ignored, not a trap`(text: String) {
    #expect(CableFrame(text) == nil)
  }

  @Test func `commands are written as the official client writes them`() {
    let echo = CableIdentifier("EchoChannel")
    #expect(
      CableCommand.subscribe.text(for: echo.text)
        == #"{"command":"subscribe","identifier":"{\"channel\":\"EchoChannel\"}"}"#
    )
    #expect(
      CableCommand.unsubscribe.text(for: echo.text)
        == #"{"command":"unsubscribe","identifier":"{\"channel\":\"EchoChannel\"}"}"#
    )
    let perform = CableCall(action: "speak", data: ["text": "hello", "action": "lost"])
    #expect(
      CableCommand.message(perform.payload).text(for: echo.text)
        == #"{"command":"message","identifier":"{\"channel\":\"EchoChannel\"}","#
        + #""data":"{\"action\":\"speak\",\"text\":\"hello\"}"}"#
    )
    // Without an action the server calls `receive`.
    #expect(CableCall(action: "", data: ["a": 1]).payload == ["a": 1])
  }
}
