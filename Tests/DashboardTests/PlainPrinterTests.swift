import Sockets
import TestSupport
import Testing

@testable import dashboard

@Suite("Plain lines", .workerPool)
struct PlainPrinterTests {
  var state = DashboardState(url: "ws://test/")

  func after(_ change: (inout DashboardState) -> Void) -> [String] {
    var next = state
    change(&next)
    return PlainPrinter.lines(from: state, to: next)
  }

  @Test func `plain lines report the events of the connection`() {
    #expect(after { $0.actions = 1 } == ["connecting to ws://test/"])
    #expect(after { ($0.link, $0.connections) = (.connected, 1) } == ["connected"])
    #expect(after { ($0.link, $0.connections) = (.connected, 2) } == ["connected again"])
    #expect(after { $0.link = .disconnected } == ["disconnected, connecting again"])
  }

  @Test func `plain lines do not report the failure, which the program prints at its end`() {
    #expect(after { $0.link = .failed(.connectionLost) } == [])
  }

  @Test func `plain lines are empty for a state without changes`() {
    #expect(after { $0.actions = 7 } == [])
  }

  @Test func `plain lines have the figures once a second, in columns`() {
    let lines = after { state in
      state.seconds = 1
      state.figures = Figures(
        cpu: 0.07,
        memoryUsed: 6 << 30,
        memoryTotal: 16 << 30,
        load: [0.5, 1, 2]
      )
      state.frames.add(4)
      state.frames.mark()
      state.bytes.add(512)
      state.bytes.mark()
    }
    #expect(
      lines == [
        "cpu   7 %   memory  6.0 GiB   load 0.50  1.00  2.00   network      0 B/s   "
          + "received  4 frames    512 B"
      ]
    )
  }

  @Test func `plain lines have the rate and the last message of a foreign server`() {
    #expect(after { $0.seconds = 1 } == ["received  0 frames      0 B"])
    let lines = after { state in
      state.seconds = 1
      state.messages.append("hello\n")
    }
    #expect(lines == ["received  0 frames      0 B   last hello·"])
  }

  @Test func `plain lines end with a summary of the counts`() {
    var state = state
    state.frames.add(19)
    state.actions = 42
    state.ticks = 5
    state.connections = 2
    #expect(
      PlainPrinter.summary(state)
        == "summary: 19 frames, 42 actions, 5 ticks, 1 reconnect, 0 lost"
    )
  }
}
