import TestSupport
import Testing

@testable import ActionCable

@Suite("The values of a cable", .workerPool) struct CableStateTests {
  @Test func `each cable error has a description of one line`() {
    let errors: [CableError] = [
      .socket(.connectionLost), .request("no token"), .unsupportedProtocol("v2"),
      .unsupportedProtocol(nil), .notSubscribed(.pending), .bufferFull(limit: 3),
      .tooManyUnconfirmed(limit: 4), .neverWritten, .mayBeLost,
    ]
    #expect(
      errors.map(\.description) == [
        "\(WebSocketError.connectionLost)", "no request could be made: no token",
        "the server chose protocol v2 instead of actioncable-v1-json",
        "the server chose protocol none instead of actioncable-v1-json",
        "nothing can be performed while the channel is pending", "3 calls wait already",
        "the server has not confirmed 4 calls yet", "the connection ended before it was written",
        "the connection ended before the server confirmed it",
      ])
  }

  @Test func `the action of a call is part of its data, and replaces another action`() {
    let perform = CableCall(action: "say", data: ["action": "other", "text": "hi"])
    #expect(perform.payload == ["action": "say", "text": "hi"])
    // Without an action it is the channel's `receive`.
    #expect(CableCall(data: ["text": "hi"]).payload == ["text": "hi"])
  }

  @Test func `a channel subscribes by itself and buffers no calls by default`() {
    let options = CableChannelOptions()
    #expect(options.autoSubscribe && options.buffering == .fail)
  }
}
