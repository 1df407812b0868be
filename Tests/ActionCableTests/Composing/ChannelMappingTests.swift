import TestSupport
import Testing

@testable import ActionCable

@Suite("The errors of a channel effect", .workerPool) struct ChannelMappingTests {
  @Test func `each error of a channel effect has a description of one line`() {
    let ending = CableDisconnection(cause: .stale, willReconnect: true)
    let failures: [ChannelFailure] = [
      .noChannel, .rejected, .timedOut(after: .seconds(10)), .disconnected(ending),
      .performFailed(CableCall(action: "say"), .mayBeLost), .undecodable(["a": 1], "no b"),
    ]
    #expect(
      failures.map(\.description) == [
        "there is no channel", "the server has rejected the channel",
        "the server did not answer within 10.0 seconds", "the connection has ended: stale",
        "say failed: the connection ended before the server confirmed it",
        "{\"a\":1} cannot be decoded: no b",
      ])
  }
}
