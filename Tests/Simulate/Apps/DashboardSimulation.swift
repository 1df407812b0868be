import ReactiveTesting
import Sockets

extension SimulatedApp {
  /// Two dashboards of a server, which miss no sample of a connection.
  static let dashboard = SimulatedApp(name: "dashboard", duration: .seconds(120)) { world in
    world.machine("server") { _ in
      try FiguresServer(host: "", port: 8080, reader: CountedFigures())
    }
    let dashboards = (1...2).map { number in
      world.machine("dashboard \(number)") { _ in DashboardProgram() }
    }
    for dashboard in dashboards {
      world.every(.seconds(1)...(.seconds(40))) { _ in dashboard.perform { $0.send(.drop) } }
      world.every(.seconds(1)...(.seconds(20))) { _ in
        dashboard.perform { $0.send(.togglePolling) }
      }
      // A first attempt that fails ends the program, which the user starts again.
      world.every(.seconds(5)...(.seconds(10))) { _ in
        guard case .failed? = dashboard.state?.link else { return }
        dashboard.crash()
        dashboard.startProgram()
      }
    }
    world.everyFault()
    world.always("no sample of a connection is lost") {
      dashboards.allSatisfy { ($0.state?.lost ?? 0) == 0 }
    }
    world.always("polling that is off has no ticks") {
      dashboards.allSatisfy { $0.program?.hasNoTickAfterPolling ?? true }
    }
    world.eventually("all are connected", within: .seconds(60), afterFaultsStop: true) {
      dashboards.allSatisfy { $0.state?.link == .connected }
    }
  }
}

/// Figures that grow by one.
private struct CountedFigures: FiguresReading {
  var figures = Figures(memoryUsed: 0, memoryTotal: 1 << 30, load: [1, 1, 1])

  func next() -> Self {
    var next = self
    next.figures.memoryUsed += 1
    return next
  }
}

/// The program of a dashboard.
final class DashboardProgram {
  private let dashboard: Composed<DashboardState, DashboardComposer.Action>
  /// The ticks when polling was turned off; nil while it is on.
  private var ticksWhenOff: Int?

  init() {
    let world = DashboardWorld(
      url: "ws://server:8080/", connect: { WebSocket("ws://server:8080/") },
      bytesReceived: { 1_000 }, dropsAfter: nil)
    dashboard = Composed(sending: DashboardComposer(world), on: .main)
    dashboard.send(.start)
  }

  var state: DashboardState { dashboard.state }

  func send(_ action: DashboardComposer.Action) { dashboard.send(action) }

  var hasNoTickAfterPolling: Bool {
    let state = state
    if state.isPolling {
      ticksWhenOff = nil
      return true
    }
    defer { ticksWhenOff = state.ticks }
    return ticksWhenOff.map { $0 == state.ticks } ?? true
  }
}
