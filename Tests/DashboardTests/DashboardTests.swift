import ReactiveTesting
import TestSupport
import Testing

@testable import dashboard

@MainActor
@Suite("The dashboard", .workerPool)
struct DashboardTests {
  func dashboard(_ events: Observable<WebSocketEvent>) -> Dashboard {
    VirtualTime().run {
      Dashboard(DashboardWorld(url: "ws://test/", events: events, bytesReceived: { 0 }))
    }
  }

  @Test func `the dashboard ends when the connection fails`() async {
    let dashboard = dashboard(
      .of(.error(.connectionLost), .disconnected(code: .abnormal, reason: ""))
    )
    let ending = dashboard.ending(among: .never(), .never())
    #expect(await dashboard.run(until: ending) == .failed(.connectionLost))
  }

  @Test func `the dashboard ends with the first ending, even one emitted before the start`() async {
    let dashboard = dashboard(.never())
    let ending = dashboard.ending(among: .never(), .of(.signal(15), .timeUp))
    #expect(await dashboard.run(until: ending) == .signal(15))
  }

  @Test func `the dashboard prints events of the connection at once`() async {
    let dashboard = dashboard(.concat(.just(.connected), .never()))
    var lines: [String] = []
    dashboard.print { lines.append($0) }
    let ending = dashboard.ending(among: .just(.quit))
    #expect(await dashboard.run(until: ending) == .quit)
    #expect(lines == ["connecting to ws://test/", "connected"])
  }
}
