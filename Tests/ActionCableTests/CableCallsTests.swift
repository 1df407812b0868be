import TestSupport
import Testing

@testable import ActionCable

/// In virtual time; over real sockets they are CableProxyTests'.
@Suite("Calls that a connection loses", .workerPool) struct CableCallsTests {
  private let stage = CableStage()

  init() { stage.serve() }

  private func connect() {
    stage.client.connect()
    stage.advance(0.1)
  }

  private func id(_ name: String) -> String { CableIdentifier(name).text }

  private func perform(_ numbers: ClosedRange<Int>, _ channel: CableChannel) throws {
    for number in numbers { try channel.perform("say", ["n": .integer(number)]) }
  }

  @Test func `A11: a call is in doubt until the server is heard a second after its pong`() throws {
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    connect()
    try perform(1...1, channel)
    // Past the next ping of the server, every 3 seconds.
    stage.advance(4)
    try perform(2...2, channel)
    stage.advance(0.9)
    stage.socket.message("heard", to: id("A"))
    stage.socket.fail(.connectionLost)
    #expect(recorder.failed(.mayBeLost) == [2])
    stage.advance(30)
    try perform(3...3, channel)
    stage.client.disconnect()
    #expect(recorder.failed(.mayBeLost) == [2, 3], "also when the client ends the connection")
    #expect(recorder.failed(.neverWritten) == [])
  }

  @Test func `what a broken socket does not take is reported as never written`() throws {
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    connect()
    stage.socket.breakQuietly()
    #expect(try channel.perform("say") == .sent)
    stage.advance(20)
    #expect(recorder.failures == [.neverWritten])
  }

  @Test func `A8: each of a thousand calls that a stalled connection loses is reported`() throws {
    let (first, second) = (stage.client.channel("A"), stage.client.channel("B"))
    let recorders = [first, second].map(CableDiary.init)
    connect()
    stage.onPing = { _, _ in }
    try perform(1...200, first)
    try perform(201...400, second)
    stage.socket.stall()
    try perform(401...700, first)
    try perform(701...1_000, second)
    stage.socket.writeStalled(100)
    stage.socket.fail(.connectionLost)
    #expect(recorders[0].failed(.mayBeLost) == Array(1...200) + Array(401...500))
    #expect(recorders[1].failed(.mayBeLost) == Array(201...400))
    #expect(recorders[0].failed(.neverWritten) == Array(501...700))
    #expect(recorders[1].failed(.neverWritten) == Array(701...1_000))
    #expect(recorders[0].failures.count + recorders[1].failures.count == 1_000)
  }

  @Test func `A8: a call above the limit throws, and the calls before it are still reported`()
    throws
  {
    let stage = CableStage { $0.unconfirmedLimit = 300 }
    stage.serve()
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    stage.client.connect()
    stage.advance(0.1)
    stage.socket.stall()
    try perform(1...300, channel)
    #expect(throws: CableError.tooManyUnconfirmed(limit: 300)) { try perform(301...301, channel) }
    stage.socket.fail(.connectionLost)
    #expect(recorder.failed(.neverWritten) == Array(1...300))
    stage.advance(20)
    try perform(302...302, channel)
  }

  @Test func `calls that the server confirms make room for others`() throws {
    let stage = CableStage { $0.unconfirmedLimit = 10 }
    stage.serve()
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    stage.client.connect()
    for second in 1...100 {
      stage.advance(to: Double(4 * second))
      try perform(1...10, channel)
    }
    #expect(recorder.failures == [])
  }

  @Test func `a call that waits in a socket that closes is reported when the socket has ended`()
    throws
  {
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    connect()
    let socket = stage.socket
    socket.closesAtOnce = false
    try perform(1...1, channel)
    socket.stall()
    try perform(2...4, channel)
    stage.client.disconnect()
    #expect(recorder.failed(.mayBeLost) == [1] && recorder.failed(.neverWritten) == [])
    // A connection that closes still writes what it has taken.
    socket.writeStalled(1)
    stage.client.connect()
    stage.advance(0.1)
    #expect(channel.state == .subscribed)
    #expect(recorder.failures.count == 1)
    socket.end()
    #expect(recorder.failed(.mayBeLost) == [1, 2] && recorder.failed(.neverWritten) == [3, 4])
  }

  @Test func `calls of a client that is released are reported before its streams complete`() throws
  {
    let options = CableChannelOptions(buffering: .buffer(limit: 3))
    let (channel, other) = (
      stage.client.channel("A"), stage.client.channel("Silent", options: options)
    )
    let recorders = [channel, other].map(CableDiary.init)
    stage.onCommand = { socket, command in
      if command.identifier == id("A") { socket.confirm(command.identifier) }
    }
    connect()
    stage.socket.closesAtOnce = false
    stage.socket.stall()
    try perform(1...1, channel)
    try perform(2...2, other)
    stage.release()
    #expect(recorders[0].failures == [.mayBeLost] && recorders[0].ends == 1)
    #expect(recorders[1].failures == [.notSubscribed(.pending)] && recorders[1].ends == 1)
  }

  @Test func `the pings of a server that reads nothing confirm no call`() throws {
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    connect()
    stage.socket.stall()
    try perform(1...3, channel)
    stage.advance(60)
    #expect(channel.state == .subscribed)
    stage.socket.fail(.connectionLost)
    #expect(recorder.failed(.neverWritten) == [1, 2, 3])
  }

  @Test
  func `of a server that answers no pings, calls count as arrived after six seconds of signs`()
    throws
  {
    stage.onPing = { _, _ in }
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    connect()
    try perform(1...1, channel)
    stage.advance(20)
    try perform(2...2, channel)
    stage.advance(5)
    stage.socket.fail(.connectionLost)
    #expect(recorder.failed(.mayBeLost) == [2])
  }
}
