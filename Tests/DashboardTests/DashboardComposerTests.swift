import ReactiveTesting
import TestSupport
import Testing

@testable import dashboard

@MainActor
@Suite("The dashboard's composer", .workerPool)
struct DashboardComposerTests {
  let time = VirtualTime()
  let server = FakeServer()

  /// A composer in virtual time whose connections the fake server answers.
  func dashboard(dropsAfter: Duration? = nil) -> Dashboard {
    let world = DashboardWorld(
      url: "ws://test/",
      connect: { [server] in try server.connect() },
      bytesReceived: { [server] in server.bytesReceived },
      dropsAfter: dropsAfter
    )
    let dashboard = time.run { Dashboard(world) }
    dashboard.composer.action.accept(.start)
    time.settle()
    return dashboard
  }

  /// Accepts the last attempt to connect.
  func accept() {
    server.accept()
    time.settle()
  }

  /// Drops the connection, and waits for the next attempt.
  func reconnect(_ dashboard: Dashboard) {
    dashboard.composer.action.accept(.drop)
    time.advance(by: .milliseconds(250))
    accept()
  }

  // MARK: Messages

  @Test func `the dashboard counts samples and their bytes, and keeps the last figures`() {
    let dashboard = dashboard()
    accept()
    server.send(0, cpu: 0.25)
    server.send(1, cpu: 0.5)
    time.settle()
    let state = dashboard.composer.state
    #expect(state.link == .connected)
    #expect(state.frames.total == 2)
    #expect(state.bytes.total > 0)
    #expect(state.cpu.values == [0.25, 0.5])
    #expect(state.figures?.cpu == 0.5)
    #expect(state.lost == 0)
  }

  @Test func `a message that is not a sample is an action of the dashboard`() {
    let dashboard = dashboard()
    accept()
    server.send(.text("hello"))
    server.send(.text("{\"sequence\":-1}"))
    server.send(.binary(.init(repeating: 0, count: 9)))
    time.settle()
    let state = dashboard.composer.state
    #expect(state.messages.values == ["hello", "{\"sequence\":-1}", "9 bytes of data"])
    #expect(state.frames.total == 3)
    #expect(state.bytes.total == 5 + 15 + 9)
    #expect(state.figures == nil)
  }

  @Test func `the dashboard keeps the beginning of a long message`() {
    let dashboard = dashboard()
    accept()
    server.send(.text(String(repeating: "a", count: 100_000)))
    time.settle()
    #expect(dashboard.composer.state.messages.values == [String(repeating: "a", count: 200)])
    #expect(dashboard.composer.state.bytes.total == 100_000)
  }

  @Test func `the dashboard counts lost samples within each connection`() {
    let dashboard = dashboard()
    accept()
    for number: UInt32 in [0, 1, 4, 5, 7] { server.send(number) }
    time.settle()
    #expect(dashboard.composer.state.lost == 3)

    reconnect(dashboard)
    for number: UInt32 in [0, 1, 2] { server.send(number) }
    time.settle()
    #expect(dashboard.composer.state.lost == 3)

    server.send(.max)
    time.settle()
    #expect(dashboard.composer.state.lost == 3 + Int(UInt32.max) - 3)
  }

  @Test func `the dashboard records frames and bytes once a second`() {
    let dashboard = dashboard()
    accept()
    for number: UInt32 in 0..<4 { server.send(number) }
    time.advance(by: .seconds(1))
    server.send(4)
    time.advance(by: .seconds(2))
    let state = dashboard.composer.state
    #expect(state.seconds == 3)
    #expect(state.frames.growth.values == [4, 1, 0])
  }

  // MARK: Polling

  @Test func `the dashboard polls at once and every second, until polling is stopped`() {
    let dashboard = dashboard()
    let action = dashboard.composer.action
    time.advance(by: .milliseconds(2_500))
    #expect(dashboard.composer.state.isPolling)
    #expect(dashboard.composer.state.ticks == 3)
    #expect(dashboard.composer.state.network.values == [1_000, 1_000])

    action.accept(.togglePolling)
    time.advance(by: .seconds(60))
    #expect(!dashboard.composer.state.isPolling)
    #expect(dashboard.composer.state.ticks == 3)

    action.accept(.togglePolling)
    time.advance(by: .milliseconds(1_500))
    #expect(dashboard.composer.state.isPolling)
    #expect(dashboard.composer.state.ticks == 5)
    #expect(dashboard.composer.state.network.values == [1_000, 1_000, 1_000])
  }

  @Test func `polling and the connection of the dashboard stop independently`() {
    let dashboard = dashboard()
    accept()
    dashboard.composer.action.accept(.togglePolling)
    server.send(0)
    time.settle()
    #expect(dashboard.composer.state.frames.total == 1)
    #expect(server.isConnected)

    dashboard.composer.action.accept(.togglePolling)
    dashboard.composer.action.accept(.drop)
    let ticks = dashboard.composer.state.ticks
    time.advance(by: .seconds(3))
    #expect(dashboard.composer.state.ticks == ticks + 4)
  }

  // MARK: Connecting again

  @Test func `the dashboard connects again 250 ms after its connection was dropped`() {
    let dashboard = dashboard()
    accept()
    #expect(dashboard.composer.state.link == .connected)
    dashboard.composer.action.accept(.drop)
    time.settle()
    #expect(server.peer?.received == [.text("drop")])
    #expect(dashboard.composer.state.link == .disconnected)

    time.advance(by: .milliseconds(249))
    #expect(server.attempts == 1)
    time.advance(by: .milliseconds(1))
    #expect(server.attempts == 2)
    #expect(dashboard.composer.state.link == .disconnected)

    accept()
    #expect(dashboard.composer.state.link == .connected)
    #expect(dashboard.composer.state.reconnects == 1)
  }

  @Test func `the dashboard's delays double with each failure, up to 8 seconds`() {
    let dashboard = dashboard()
    accept()
    server.refuse(.transport(.refused(address: "127.0.0.1:1")))
    dashboard.composer.action.accept(.drop)
    time.settle()
    for (number, delay) in [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000].enumerated() {
      time.advance(by: .milliseconds(delay - 1))
      #expect(server.attempts == number + 1)
      time.advance(by: .milliseconds(1))
      #expect(server.attempts == number + 2)
    }
  }

  @Test func `the dashboard connects again when the server closes`() {
    let dashboard = dashboard()
    accept()
    server.peer?.close()
    time.advance(by: .milliseconds(250))
    accept()
    #expect(dashboard.composer.state.reconnects == 1)
  }

  @Test func `the dashboard stops when the first connection fails`() {
    let error = WebSocketError.transport(.refused(address: "127.0.0.1:1"))
    server.refuse(error)
    let dashboard = dashboard()
    time.advance(by: .seconds(60))
    #expect(dashboard.composer.state.link == .failed(error))
    #expect(server.attempts == 1)
  }

  @Test func `the dashboard's drop has no effect without a connection`() {
    let dashboard = dashboard()
    dashboard.composer.action.accept(.drop)
    accept()
    #expect(dashboard.composer.state.link == .connected)
    #expect(server.peer?.received == [])
  }

  @Test func `the dashboard drops its connection once after dropsAfter`() {
    let dashboard = dashboard(dropsAfter: .seconds(2))
    accept()
    time.advance(by: .milliseconds(2_250))
    #expect(server.attempts == 2)
    accept()
    time.advance(by: .seconds(60))
    #expect(dashboard.composer.state.reconnects == 1)
    #expect(dashboard.composer.state.link == .connected)
  }

  // MARK: The list of actions

  @Test func `the dashboard's log has every action in order`() {
    let dashboard = dashboard()
    accept()
    server.send(0)
    time.settle()
    let log = dashboard.composer.state.log.values
    #expect(
      log.map(\.text) == [
        "start", "togglePolling", "polled 0 B", "connected", "sample 0",
      ]
    )
    #expect(log.map(\.number) == [1, 2, 3, 4, 5])
    #expect(dashboard.composer.state.actions == 5)
  }

  @Test func `Recent drops the oldest values beyond its capacity`() {
    var recent = Recent<Int>()
    for number in 0..<1_000 { recent.append(number) }
    #expect(recent.values == Array(744..<1_000))
  }
}
