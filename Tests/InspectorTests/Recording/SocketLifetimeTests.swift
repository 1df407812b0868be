import Dispatch
import Inspector
import Sockets
import TestSupport
import Testing

@testable import Inspector

@Suite("Sockets that begin and end", .workerPool)
struct SocketLifetimeTests {
  private final class TestSocket: TappedSocket {
    let state = Locked(WebSocketState.connected)
    let tapName = "ws://test"
    let isOfServer = false
    let serverIdentifier: ObjectIdentifier? = nil
    let reconnects = false
    var tapState: WebSocketState { state.withLock { $0 } }
    let tapReconnection: ReconnectionState? = nil
    let tapMetrics: WebSocketMetrics? = nil
    let tapExtensions = "permessage-deflate"
    func cut() {}
    let tapDelay = Duration.zero
    func slow(by delay: Duration) -> Bool { false }
  }

  private let program = InspectedProgram(InspectorConfiguration())
  private let socket = TestSocket()

  private var summary: SocketRecord.Summary? {
    (program.log.sources.first as? SocketRecord)?.summary
  }

  @Test func `a socket that is open already is shown as connected`() {
    program.add(socket)
    #expect(summary?.state == .connected)
    #expect(summary?.connectionCount == 1)
    #expect(summary?.extensions == "permessage-deflate")
  }

  @Test func `the connection of a socket that opens is counted once`() {
    program.socket(socket, did: .state(.connected))
    #expect(summary?.connectionCount == 1)
  }

  @Test func `an event that another thread reports after the end adds no socket`() {
    program.socket(socket, did: .state(.connected))
    socket.state.withLock { $0 = .disconnected }
    program.socket(socket, did: .state(.disconnected))
    program.socket(socket, did: .ended(code: .goingAway, reason: ""))
    program.socket(socket, did: .sent(.text("late")))
    program.socket(socket, did: .state(.disconnected))
    #expect(program.log.sources.count == 1)
    #expect(program.log.sources.first?.isLive == false)
  }

  @Test func `a socket whose first events come from several threads is one socket`() {
    for _ in 0..<100 {
      let program = InspectedProgram(InspectorConfiguration())
      let socket = TestSocket()
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        program.socket(socket, did: .sent(.text("a")))
      }
      #expect(program.log.sources.count == 1)
      #expect(program.log.events.count == 8)
    }
  }
}
