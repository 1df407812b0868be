/// A machine of a simulated network, on which one process at a time runs.
final class SimulatedMachine {
  let name: String
  let number: Int
  let address: String
  /// The process that runs; nil while it is stopped.
  var process: SimulatedProcess?
  /// Whether the machine is lost, so that nothing answers its peers.
  var isLost: Bool
  /// When the machine has sent what its programs have written so far, on a network with a limit.
  var sendsUntil: UInt64 = 0
  let disk = SimulatedDisk()
  /// What the clock of this machine shows too much, in seconds.
  var clockError = 0.0
  /// Whether the machine is left out of this run.
  let isAbsent: Bool
  /// The numbers of its programs.
  var random: SimulationRandom
  /// The numbers of the segments that it sends.
  var network: SimulationRandom
  private var lastPort: UInt16 = 49_151

  init(
    _ name: String, _ number: Int, isAbsent: Bool, numbers random: SimulationRandom,
    network: SimulationRandom
  ) {
    (self.name, self.number, self.isAbsent) = (name, number, isAbsent)
    (self.random, self.network, isLost) = (random, network, isAbsent)
    address = "10.0.\(number / 250).\(number % 250 + 1)"
  }

  /// The next port of those that the system gives; one that is not free when none is.
  func freePort(_ isFree: (UInt16) -> Bool = { _ in true }) -> UInt16 {
    for _ in 49_152...UInt16.max {
      lastPort = lastPort == .max ? 49_152 : lastPort + 1
      if isFree(lastPort) { break }
    }
    return lastPort
  }

  private static let loopback: Set = ["localhost", "127.0.0.1", "::1"]

  /// Whether a name or an address in a URL is this machine.
  func isNamed(_ host: String, by asking: SimulatedMachine) -> Bool {
    host == name || host == address || asking === self && Self.loopback.contains(host)
  }

  /// The machines that reach an address on which a program listens.
  enum Reach { case this, all }

  /// Who reaches an address of this machine; nil for one that it does not have.
  func reach(of address: String) -> Reach? {
    if Self.loopback.contains(address) { return .this }
    return ["", "0.0.0.0", "::", name, self.address].contains(address) ? .all : nil
  }
}

/// Accepts the connections to a port of a process.
final class SimulatedListener: Listener, @unchecked Sendable {
  // All is used on the thread of the simulation alone.
  let port: UInt16
  private let process: SimulatedProcess
  private let reach: SimulatedMachine.Reach
  private var accept: (@Sendable (any AcceptedConnection) -> Void)?
  private var waiting: [SimulatedSocket] = []

  init(_ process: SimulatedProcess, _ reach: SimulatedMachine.Reach, port: UInt16) {
    (self.process, self.reach, self.port) = (process, reach, port)
  }

  func isReached(by machine: SimulatedMachine) -> Bool {
    reach == .all || machine === process.machine
  }

  func listen(
    noteShortage: @escaping @Sendable (TransportError) -> Void,
    accepting accept: @escaping @Sendable (any AcceptedConnection) -> Void
  ) {
    self.accept = accept
    process.loop.execute { self.acceptWaiting() }
  }

  /// Takes a connection that a peer has made.
  func receive(_ socket: SimulatedSocket) {
    waiting.append(socket)
    process.enqueueOnLoop { self.acceptWaiting() }
  }

  private func acceptWaiting() {
    guard let accept else { return }
    while !waiting.isEmpty { accept(SimulatedAccepted(socket: waiting.removeFirst())) }
  }

  func close() {
    guard process.listeners[port] === self else { return }
    process.listeners[port] = nil
    for socket in waiting { socket.reset() }
    (waiting, accept) = ([], nil)
  }
}

private struct SimulatedAccepted: AcceptedConnection, @unchecked Sendable {
  // Used on the thread of the simulation alone.
  let socket: SimulatedSocket

  var peer: NetworkAddress? { socket.peerAddress }

  func transport(on loop: EventLoop) -> any Transport {
    SimulatedTransport(socket, in: socket.process)
  }

  func close() { socket.close() }
}
