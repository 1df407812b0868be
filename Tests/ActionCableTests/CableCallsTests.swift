import TestSupport
import Testing

@testable import ActionCable

/// In virtual time; CableProxyTests covers real sockets.
@Suite("Calls that a lost connection leaves unconfirmed", .workerPool) struct CableCallsTests {
  private let harness = CableHarness()

  init() { harness.serve() }

  private func connect() {
    harness.client.connect()
    harness.advance(0.1)
  }

  private func id(_ name: String) -> String { CableIdentifier(name).text }

  private func perform(_ numbers: ClosedRange<Int>, _ channel: CableChannel) throws {
    for number in numbers { try channel.perform("say", ["n": .integer(number)]) }
  }

  @Test func `A11: a call is in doubt until a message arrives a second after its pong`() throws {
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    connect()
    try perform(1...1, channel)
    // After the next ping of the server, which sends one every 3 seconds.
    harness.advance(4)
    try perform(2...2, channel)
    harness.advance(0.9)
    harness.socket.message("received", to: id("A"))
    harness.socket.fail(.connectionLost)
    #expect(recorder.failed(.mayBeLost) == [2])
    harness.advance(30)
    try perform(3...3, channel)
    harness.client.disconnect()
    #expect(recorder.failed(.mayBeLost) == [2, 3], "also when the client ends the connection")
    #expect(recorder.failed(.neverWritten) == [])
  }

  @Test func `a call that a broken socket has not written is reported as never written`() throws {
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    connect()
    harness.socket.breakQuietly()
    #expect(try channel.perform("say") == .sent)
    harness.advance(20)
    #expect(recorder.failures == [.neverWritten])
  }

  @Test func `A8: each of a thousand calls that a stalled connection loses is reported`() throws {
    let (first, second) = (harness.client.channel("A"), harness.client.channel("B"))
    let recorders = [first, second].map(CableChannelRecorder.init)
    connect()
    harness.onPing = { _, _ in }
    try perform(1...200, first)
    try perform(201...400, second)
    harness.socket.stall()
    try perform(401...700, first)
    try perform(701...1_000, second)
    harness.socket.writeStalled(100)
    harness.socket.fail(.connectionLost)
    #expect(recorders[0].failed(.mayBeLost) == Array(1...200) + Array(401...500))
    #expect(recorders[1].failed(.mayBeLost) == Array(201...400))
    #expect(recorders[0].failed(.neverWritten) == Array(501...700))
    #expect(recorders[1].failed(.neverWritten) == Array(701...1_000))
    #expect(recorders[0].failures.count + recorders[1].failures.count == 1_000)
  }

  @Test func `A8: a call above the limit throws, and the calls before it are still reported`()
    throws
  {
    let harness = CableHarness { $0.unconfirmedCallLimit = 300 }
    harness.serve()
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    harness.client.connect()
    harness.advance(0.1)
    harness.socket.stall()
    try perform(1...300, channel)
    #expect(throws: CableError.tooManyUnconfirmed(limit: 300)) { try perform(301...301, channel) }
    harness.socket.fail(.connectionLost)
    #expect(recorder.failed(.neverWritten) == Array(1...300))
    harness.advance(20)
    try perform(302...302, channel)
  }

  @Test func `calls that the server confirms make room for more calls`() throws {
    let harness = CableHarness { $0.unconfirmedCallLimit = 10 }
    harness.serve()
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    harness.client.connect()
    for second in 1...100 {
      harness.advance(to: Double(4 * second))
      try perform(1...10, channel)
    }
    #expect(recorder.failures == [])
  }

  @Test func `a call that is queued in a closing socket is reported when the socket has ended`()
    throws
  {
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    connect()
    let socket = harness.socket
    socket.closesAtOnce = false
    try perform(1...1, channel)
    socket.stall()
    try perform(2...4, channel)
    harness.client.disconnect()
    #expect(recorder.failed(.mayBeLost) == [1] && recorder.failed(.neverWritten) == [])
    // A closing connection still writes accepted messages.
    socket.writeStalled(1)
    harness.client.connect()
    harness.advance(0.1)
    #expect(channel.state == .subscribed)
    #expect(recorder.failures.count == 1)
    socket.end()
    #expect(recorder.failed(.mayBeLost) == [1, 2] && recorder.failed(.neverWritten) == [3, 4])
  }

  @Test func `the calls of a released client are reported before its streams complete`() throws {
    let options = CableChannelOptions(buffering: .buffer(limit: 3))
    let (channel, other) = (
      harness.client.channel("A"), harness.client.channel("Silent", options: options)
    )
    let recorders = [channel, other].map(CableChannelRecorder.init)
    harness.onCommand = { socket, command in
      if command.identifier == id("A") { socket.confirm(command.identifier) }
    }
    connect()
    harness.socket.closesAtOnce = false
    harness.socket.stall()
    try perform(1...1, channel)
    try perform(2...2, other)
    harness.release()
    #expect(recorders[0].failures == [.mayBeLost] && recorders[0].ends == 1)
    #expect(recorders[1].failures == [.notSubscribed(.pending)] && recorders[1].ends == 1)
  }

  @Test func `the pings of a server that reads nothing confirm no call`() throws {
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    connect()
    harness.socket.stall()
    try perform(1...3, channel)
    harness.advance(60)
    #expect(channel.state == .subscribed)
    harness.socket.fail(.connectionLost)
    #expect(recorder.failed(.neverWritten) == [1, 2, 3])
  }

  @Test
  func `without pongs, calls count as delivered when messages arrive six seconds later`()
    throws
  {
    harness.onPing = { _, _ in }
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    connect()
    try perform(1...1, channel)
    harness.advance(20)
    try perform(2...2, channel)
    harness.advance(5)
    harness.socket.fail(.connectionLost)
    #expect(recorder.failed(.mayBeLost) == [2])
  }
}
