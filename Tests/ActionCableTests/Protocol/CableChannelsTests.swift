import TestSupport
import Testing

@testable import ActionCable

/// The value alone; CableChannelTests covers it with a client.
@Suite("The channels of a cable", .workerPool) struct CableChannelsTests {
  private typealias Output = CableStateMachine.Output

  private let room = CableIdentifier("Room", ["id": 1])
  private let call = CableCall(action: "say")
  private var subscribe: Output { .send(CableCommand.subscribe.text(for: room.text)) }
  private var unsubscribe: Output { .send(CableCommand.unsubscribe.text(for: room.text)) }

  private func said(_ number: Int) -> Output {
    .call(number: number, CableCommand.message(call.payload).text(for: room.text))
  }

  /// Channels after the welcome, and two members of one identifier.
  private func welcomed(
    _ buffering: CableBuffering = .fail,
    unconfirmedCallLimit: Int = 10
  ) -> (channels: CableChannels, first: Int, second: Int) {
    var channels = CableChannels(timeout: .seconds(10), unconfirmedCallLimit: unconfirmedCallLimit)
    let (first, second) = (channels.add(room, buffering), channels.add(room, buffering))
    channels.welcome(.zero, isReconnect: false)
    // Its pong shows that the server answers pings.
    #expect(channels.takeOutputs() == [.ping(number: 0)])
    channels.pongReceived(0, .zero)
    return (channels, first, second)
  }

  @Test func `two channels of one identifier send one subscribe, and both are confirmed`() {
    var (channels, first, second) = welcomed()
    channels.subscribe(first, .zero)
    channels.subscribe(second, .zero)
    #expect(
      channels.answered() == [
        .channelState(first, .pending), subscribe, .channelState(second, .pending),
      ])
    channels.confirm(room.text, .milliseconds(1))
    #expect(
      channels.answered()
        == [first, second].flatMap { id -> [Output] in
          [.channelState(id, .subscribed), .channelEvent(id, .subscribed(reconnected: false))]
        })
    #expect(channels.count == 1)
    #expect(channels.answered() == [])
  }

  @Test func `only the last channel that unsubscribes sends an unsubscribe`() {
    var (channels, first, second) = welcomed()
    for id in [first, second] { channels.subscribe(id, .zero) }
    channels.confirm(room.text, .zero)
    _ = channels.answered()
    channels.unsubscribe(first, .zero)
    #expect(
      channels.answered() == [
        .channelState(first, .unsubscribed), .channelEvent(first, .unsubscribed),
      ])
    channels.remove(second, .zero)
    #expect(channels.answered().last == unsubscribe)
    // The server answers late, and no call is left.
    channels.tick(SubscriptionStateMachine.coolDown)
    #expect(channels.count == 0)
    #expect(channels.answered() == [])
  }

  @Test func `a message reaches the channels of its identifier, and no channel that is not wanted`()
  {
    var (channels, first, second) = welcomed()
    #expect(channels.deliver(1, to: room.text) == false)
    for id in [second, first] { channels.subscribe(id, .zero) }
    _ = channels.takeOutputs()
    // Messages before the confirmation, in their order of arrival.
    #expect(channels.deliver(1, to: room.text) == true)
    #expect(
      channels.takeOutputs()
        == [.channelEvent(second, .message(1)), .channelEvent(first, .message(1))])
    #expect(channels.deliver(1, to: CableIdentifier("Room", ["id": 2]).text) == false)
  }

  @Test func `an unexpected confirmation is answered with an unsubscribe, and forgotten`() {
    var (channels, _, _) = welcomed()
    channels.confirm(room.text, .zero)
    #expect(channels.takeOutputs() == [unsubscribe, .ping(number: 0)])
    #expect(channels.due == nil)
    #expect(channels.pongDue == UnconfirmedCalls.pongLimit)
    channels.pongReceived(0, .zero)
    #expect(channels.due == SubscriptionStateMachine.coolDown)
    channels.tick(SubscriptionStateMachine.coolDown)
    #expect(channels.count == 0)
  }

  @Test func `a subscribe without an answer is repeated at its time and not earlier`() {
    var (channels, first, _) = welcomed()
    channels.subscribe(first, .zero)
    _ = channels.answered()
    #expect(channels.due == SubscriptionStateMachine.retry)
    channels.tick(SubscriptionStateMachine.retry - .milliseconds(1))
    #expect(channels.answered().isEmpty)
    channels.tick(SubscriptionStateMachine.retry)
    #expect(channels.answered(at: SubscriptionStateMachine.retry) == [subscribe])
    #expect(channels.due == SubscriptionStateMachine.retry * 2)
  }

  @Test func `an unsubscribe is behind the pong of the last call, and has its own ping`() throws {
    var (channels, first, _) = welcomed()
    channels.subscribe(first, .zero)
    channels.confirm(room.text, .zero)
    _ = channels.answered()
    #expect(try channels.perform(call, first, .zero) == .sent)
    channels.unsubscribe(first, .zero)
    _ = channels.takeOutputs()
    channels.tick(.seconds(2))
    #expect(channels.takeOutputs() == [])
    channels.pongReceived(1, .seconds(2))
    channels.tick(.milliseconds(2_250))
    #expect(channels.takeOutputs() == [unsubscribe, .ping(number: 1)])
    channels.subscribe(first, .seconds(3))
    channels.tick(.seconds(5))
    #expect(channels.takeOutputs() == [.channelState(first, .pending)])
    channels.pongReceived(1, .seconds(5))
    #expect(channels.takeOutputs() == [.ping(number: 1)], "it confirms the call")
    channels.tick(.milliseconds(5_250))
    #expect(channels.takeOutputs() == [subscribe])
    channels.pongReceived(1, .milliseconds(5_300))
    #expect(channels.takeOutputs() == [.ping(number: 1)])
  }

  @Test func `a pong that answers no ping does not show that a call was read`() throws {
    var (channels, first, _) = welcomed()
    channels.subscribe(first, .zero)
    channels.confirm(room.text, .zero)
    _ = channels.answered()
    #expect(try channels.perform(call, first, .zero) == .sent)
    channels.unsubscribe(first, .zero)
    _ = channels.takeOutputs()
    channels.pongReceived(99, .seconds(1))
    channels.tick(.seconds(5))
    #expect(channels.takeOutputs() == [])
  }

  @Test
  func `a subscribe that waits in the network is not repeated, and unsubscribed once it is read`() {
    var (channels, first, _) = welcomed()
    channels.subscribe(first, .zero)
    #expect(channels.takeOutputs().suffix(2) == [subscribe, .ping(number: 0)])
    for seconds in 1...9 { channels.tick(.seconds(seconds)) }
    #expect(channels.takeOutputs() == [])
    channels.tick(.seconds(10))
    #expect(
      channels.takeOutputs() == [
        .channelState(first, .timedOut), .channelEvent(first, .timedOut(after: .seconds(10))),
      ])
    channels.pongReceived(0, .seconds(12))
    channels.confirm(room.text, .milliseconds(12_010))
    channels.tick(.milliseconds(12_999))
    #expect(channels.takeOutputs() == [])
    channels.tick(.milliseconds(13_000))
    #expect(channels.takeOutputs() == [unsubscribe, .ping(number: 0)])
  }

  @Test func `calls wait for the confirmation in order, or fail at once`() throws {
    var (channels, first, second) = welcomed(.buffer(limit: 1))
    channels.subscribe(first, .zero)
    _ = channels.answered()
    #expect(try channels.perform(call, first, .zero) == .buffered)
    #expect(throws: CableError.bufferFull(limit: 1)) { try channels.perform(call, first, .zero) }
    #expect(throws: CableError.notSubscribed(.unsubscribed)) {
      try channels.perform(call, second, .zero)
    }
    channels.confirm(room.text, .zero)
    #expect(channels.takeOutputs().suffix(2) == [said(1), .ping(number: 1)])
    #expect(try channels.perform(call, first, .zero) == .sent)
    #expect(channels.takeOutputs() == [said(2)], "one ping at a time")
    channels.pongReceived(1, .zero)
    #expect(channels.takeOutputs() == [.ping(number: 2)])
  }

  @Test func `a call above the limit of unconfirmed calls is refused, and a buffered call is sent`()
    throws
  {
    var (channels, first, _) = welcomed(.buffer(limit: 3), unconfirmedCallLimit: 2)
    channels.subscribe(first, .zero)
    _ = channels.answered()
    for _ in 0..<3 { #expect(try channels.perform(call, first, .zero) == .buffered) }
    channels.confirm(room.text, .zero)
    #expect(channels.takeOutputs().suffix(4) == [said(1), said(2), said(3), .ping(number: 3)])
    #expect(throws: CableError.tooManyUnconfirmed(limit: 2)) {
      try channels.perform(call, first, .zero)
    }
    for number in 1...3 { #expect(channels.callSent(number, end: number) == true) }
    channels.pongReceived(3, .zero)
    #expect(throws: CableError.tooManyUnconfirmed(limit: 2)) {
      try channels.perform(call, first, .zero)
    }
    channels.messageReceived(UnconfirmedCalls.grace)
    #expect(channels.takeOutputs() == [.ping(number: 3)])
    channels.pongReceived(3, UnconfirmedCalls.grace)
    #expect(try channels.perform(call, first, UnconfirmedCalls.grace) == .sent)
  }

  @Test func `a lost connection is reported to subscribed channels, and no timer runs offline`() {
    var (channels, first, second) = welcomed()
    channels.subscribe(first, .zero)
    channels.confirm(room.text, .zero)
    _ = channels.takeOutputs()
    let ending = CableDisconnection(cause: .stale, willReconnect: true)
    let calls = channels.disconnected(ending, .zero)
    #expect(calls.isEmpty)
    #expect(
      channels.takeOutputs()
        == [.channelState(first, .pending), .channelEvent(first, .disconnected(ending))])
    #expect(channels.due == nil && channels.state(of: second) == .unsubscribed)
    channels.welcome(.seconds(1), isReconnect: true)
    channels.confirm(room.text, .seconds(1))
    #expect(
      channels.takeOutputs() == [
        .ping(number: 0), subscribe, .channelState(first, .subscribed),
        .channelEvent(first, .subscribed(reconnected: true)),
      ])
  }
}

extension CableChannels {
  /// Removes the outputs and returns them without the pings, of which the server answers each one at once.
  fileprivate mutating func answered(at now: Duration = .zero) -> [Output] {
    var all: [Output] = []
    while hasOutputs {
      for output in takeOutputs() {
        if case .ping(let number) = output {
          pongReceived(number, now)
        } else {
          all.append(output)
        }
      }
    }
    return all
  }
}
