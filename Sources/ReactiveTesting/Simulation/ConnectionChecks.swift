/// Checks what holds for every WebSocket of a simulation.
final class ConnectionChecks: SocketTaps.Observer, @unchecked Sendable {
  /// A WebSocket that has not ended.
  private struct Open {
    weak var socket: (any TappedSocket)?
    let process: SimulatedProcess
    var state: WebSocketState
    /// The time that the process had run when the state began.
    var since: UInt64
  }

  private struct Ended {
    weak var socket: (any TappedSocket)?
  }

  // All is used on the thread of the simulation alone: sockets of other hosts are not of this world.
  private let world: WorldCore
  private var open: [ObjectIdentifier: Open] = [:]
  /// Those that have ended, by machine.
  private var ended: [Int: [Ended]] = [:]

  /// The most WebSockets of a host that have ended and are kept.
  private static let mostEnded = 100
  /// The time by which a deadline may be missed, in nanoseconds: that of a turn of the loop.
  private static let slack: UInt64 = 1_000_000_000

  init(_ world: WorldCore) { self.world = world }

  func socket(
    _ socket: any TappedSocket, received message: WebSocketMessage, _ deliver: () -> Void
  ) {
    if let transport = transport(of: socket), let end = transport.end {
      end.report()
      if end.hasEnded {
        fail("a connection that has ended delivers no message", at: transport.process)
      } else if !end.receive(message) {
        fail("each message arrives once at most, in its order", at: transport.process)
      }
    }
    deliver()
  }

  func socket(_ socket: any TappedSocket, did event: SocketTaps.Event) {
    switch event {
    case .state(let state): note(state, of: socket)
    case .ended: noteEnd(of: socket)
    case .sent, .pong, .failed, .reconnection: break
    }
    guard let transport = transport(of: socket), let end = transport.end else { return }
    end.report()
    switch event {
    case .sent(let message): end.send(message)
    case .ended: if !end.end() { fail("a connection ends once", at: transport.process) }
    case .state, .pong, .failed, .reconnection: break
    }
  }

  func serverStarted(_ server: any TappedServer) {}

  private func note(_ state: WebSocketState, of socket: any TappedSocket) {
    guard let process = world.currentProcess else { return }
    let key = ObjectIdentifier(socket)
    open[key] =
      state == .disconnected
      ? nil
      : Open(socket: socket, process: process, state: state, since: process.runningTime)
  }

  private func noteEnd(of socket: any TappedSocket) {
    guard let process = world.currentProcess else { return }
    open[ObjectIdentifier(socket)] = nil
    ended[process.machine.number, default: []].append(Ended(socket: socket))
  }

  private func transport(of socket: any TappedSocket) -> SimulatedTransport? {
    guard let transport = socket.tapTransport as? SimulatedTransport, transport.world === world
    else { return nil }
    return transport
  }

  private func fail(_ rule: String, at process: SimulatedProcess) {
    world.fail(.violated("\(rule), at \(process.machine.name)"))
  }

  /// Checks what time alone changes.
  func check() {
    // The order of a dictionary is another one in each process: one text is the first in all of them.
    if let first = violations().min(by: { $0 < $1 }) {
      world.fail(.violated(first.rule, detail: first.detail))
    }
  }

  private func violations() -> [(rule: String, detail: String)] {
    var found: [(String, String)] = []
    for (key, record) in open {
      guard let socket = record.socket, record.process.isAlive else {
        open[key] = nil
        continue
      }
      // The close has its time from when the peer has what was sent before. Without a connection it waits for
      // the consumers of what has arrived.
      if record.state == .disconnecting, isSending(socket) || socket.tapIsBroken {
        open[key]?.since = record.process.runningTime
        continue
      }
      guard let limit = socket.tapTimeouts, let rule = Self.rule(for: record.state, limit) else {
        continue
      }
      // What the peer's system has taken is looked at four times in each limit.
      let latest = rule.limit.nanoseconds + rule.limit.nanoseconds / 4 + Self.slack
      if record.process.runningTime - record.since > latest {
        found.append(("\(rule.name), at \(record.process.machine.name)", ""))
      }
    }
    for (machine, sockets) in ended where sockets.count > Self.mostEnded {
      let kept = sockets.filter { $0.socket != nil }
      ended[machine] = kept
      if kept.count > Self.mostEnded {
        let name = world.machines[machine].name
        found.append(
          ("connections that have ended are released, at \(name)", "\(kept.count) are kept"))
      }
    }
    return found
  }

  private func isSending(_ socket: any TappedSocket) -> Bool {
    let isUnacknowledged = transport(of: socket)?.acknowledgement.map { $0.isDue } ?? false
    return isUnacknowledged || (socket.tapMetrics?.queuedBytes ?? 0) > 0
  }

  private static func rule(
    for state: WebSocketState, _ timeouts: (opening: Duration, closing: Duration)
  ) -> (name: String, limit: Duration)? {
    switch state {
    case .connecting: ("a connection opens or fails within its handshakeTimeout", timeouts.opening)
    // Once for the answer to the close frame, and once for the end of TCP after it.
    case .disconnecting: ("a connection ends within twice its closeTimeout", timeouts.closing * 2)
    default: nil
    }
  }
}
