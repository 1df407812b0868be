import ReactiveTesting
import TestSupport
import Testing

@testable import dashboard

@MainActor
@Suite("The dashboard", .workerPool)
struct DashboardTests {
  func dashboard(
    connect: @escaping @Sendable () async throws -> any WebSocketType = {
      MockWebSocket.pair(isOpen: false).client
    }
  ) -> Dashboard {
    Dashboard(DashboardWorld(url: "ws://test/", connect: connect, bytesReceived: { 0 }))
  }

  @Test func `the dashboard ends when the connection fails`() async {
    let dashboard = dashboard { throw WebSocketError.connectionLost }
    let ending = dashboard.ending(among: .never(), .never())
    #expect(await dashboard.run(until: ending) == .failed(.connectionLost))
  }

  @Test func `the dashboard ends with the first ending, even one emitted before the start`() async {
    let dashboard = dashboard()
    let ending = dashboard.ending(among: .never(), .of(.signal(15), .timeUp))
    #expect(await dashboard.run(until: ending) == .signal(15))
  }

  @Test func `the dashboard prints events of the connection at once`() async {
    let (client, server) = MockWebSocket.pair()
    let dashboard = dashboard { client }
    var lines: [String] = []
    dashboard.print { lines.append($0) }
    let connected = dashboard.composer.$state.observable.asObservable()
      .filter { $0.link == .connected }.map { _ in Ending.quit }
    let ending = dashboard.ending(among: connected)
    #expect(await dashboard.run(until: ending) == .quit)
    #expect(lines == ["connecting to ws://test/", "connected"])
    server.close()
  }
}
