/// One end of a connection in the system of a machine, as TCP has it.
final class SimulatedSocket {
  enum State { case connecting, open, closed }

  /// What travels to the other end, in order.
  private enum Segment {
    case bytes([UInt8])
    case end
  }

  let number: UInt64
  /// This end of what the programs send to each other.
  private(set) var end: SimulatedExchange.End
  private let world: WorldCore
  let process: SimulatedProcess
  private(set) var state: State
  /// The other end; nil when it is not known yet, or is gone.
  private(set) weak var peer: SimulatedSocket?
  let peerMachine: SimulatedMachine?
  let peerPort: UInt16

  /// The bytes that have arrived and are not read.
  private(set) var unread: [UInt8] = []
  /// Whether the end of the peer's bytes has arrived.
  private(set) var hasEnd = false
  private(set) var error: TransportError?
  private var sentCount = 0
  private var receivedCount = 0
  private var acknowledgedCount = 0
  private var lastAcknowledged: UInt64
  private var acknowledgements = Fifo<(count: Int, arrival: UInt64)>()
  private var isWaitingForRoom = false
  private var hasSentEnd = false
  /// Whether a write was cut short.
  private var isFull = false
  /// What is on its way to the peer.
  private var outgoing = Fifo<(segment: Segment, arrival: UInt64, sent: UInt64)>()
  private var isDelivering = false
  private var lastArrival: UInt64 = 0
  private var retry = SimulatedSocket.firstRetry

  private static let firstRetry: UInt64 = 200_000_000
  /// The most time between two attempts.
  private static let lastRetry: UInt64 = 120_000_000_000

  /// Called when something has changed that the transport has to know.
  var onChange: (() -> Void)?

  static let capacity = 65_536

  /// - Parameter peer: the end that has connected; nil for the connecting one.
  init(
    _ process: SimulatedProcess, to machine: SimulatedMachine?, port: UInt16,
    acceptedFrom peer: SimulatedSocket? = nil
  ) {
    (self.process, world) = (process, process.world)
    (peerMachine, peerPort, self.peer) = (machine, port, peer)
    state = peer == nil ? .connecting : .open
    end = peer?.end.other ?? SimulatedExchange().connecting
    number = world.nextNumber()
    lastAcknowledged = world.now
    process.sockets[ObjectIdentifier(self)] = self
  }

  var peerAddress: NetworkAddress? {
    peerMachine.flatMap { NetworkAddress($0.address, port: peerPort) }
  }

  var machine: SimulatedMachine { process.machine }

  /// The bytes that the peer's system has not acknowledged, and when the last ones were.
  var acknowledged: (outstanding: Int, last: UInt64) {
    takeAcknowledgements()
    return (sentCount - acknowledgedCount, lastAcknowledged)
  }

  /// The number of bytes that can be written.
  private var room: Int {
    max(0, Self.capacity - acknowledged.outstanding - (peer?.unread.count ?? 0))
  }

  // MARK: Connecting

  /// Sends the first segment, again and again until an answer arrives.
  func connect(attempt: Int = 0) {
    guard state == .connecting, let peerMachine else { return }
    world.network.send(from: machine, to: peerMachine) { [weak self] in
      self?.arrive(at: peerMachine)
    }
    // RFC 6298: 1, 2, 4... seconds; Linux gives up after the sixth.
    let wait = UInt64(1) << UInt64(attempt) * 1_000_000_000
    world.after(wait) { [weak self] in
      guard let self, state == .connecting else { return }
      if attempt == 6 {
        fail(.timedOut(address: "\(peerMachine.address):\(peerPort)"))
      } else {
        connect(attempt: attempt + 1)
      }
    }
  }

  private func arrive(at other: SimulatedMachine) {
    guard state == .connecting, !other.isLost else { return }
    // The answer to an earlier segment was lost.
    if let peer { return answer(from: other, peer) }
    let listener = other.process?.listeners[peerPort]
    guard let process = other.process, let listener, listener.isReached(by: machine) else {
      return world.network.send(from: other, to: machine) { [weak self] in
        guard let self, state == .connecting else { return }
        fail(.refused(address: "\(other.address):\(peerPort)"))
      }
    }
    // The other end of an earlier attempt may have closed.
    end = SimulatedExchange().connecting
    let accepted = SimulatedSocket(
      process, to: machine, port: machine.freePort(), acceptedFrom: self)
    peer = accepted
    answer(from: other, accepted)
    listener.receive(accepted)
  }

  private func answer(from other: SimulatedMachine, _ accepted: SimulatedSocket) {
    world.network.send(from: other, to: machine) { [weak self] in
      guard let self, state != .closed else { return accepted.reset() }
      guard state == .connecting else { return }
      state = .open
      onChange?()
    }
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard state == .open, error == nil, !hasSentEnd else { return 0 }
    let count = min(bytes.count, room)
    if count < bytes.count {
      isFull = true
      waitForRoom()
    }
    guard count > 0 else { return 0 }
    world.hash(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    var rest = Array(bytes.prefix(count))[...]
    sentCount += count
    while !rest.isEmpty {
      // Mostly whole, at times in pieces of any size.
      let size =
        machine.network.isOne(in: 8) ? 1 + machine.network.index(below: rest.count) : rest.count
      send(.bytes(Array(rest.prefix(size))))
      rest = rest.dropFirst(size)
    }
    return count
  }

  func endWriting() {
    guard state == .open, !hasSentEnd else { return }
    hasSentEnd = true
    send(.end)
  }

  private func send(_ segment: Segment) {
    guard let peerMachine else { return }
    let byteCount = if case .bytes(let bytes) = segment { bytes.count } else { 0 }
    let delay = world.network.delay(from: machine, to: peerMachine, byteCount: byteCount)
    // None overtakes another.
    let arrival = world.now.addingClamped(delay)
    lastArrival = max(lastArrival, arrival)
    outgoing.append((segment, lastArrival, world.now))
    deliverNext()
  }

  /// Delivers the first segment on the way when it arrives; those behind it wait.
  private func deliverNext() {
    guard !isDelivering, let first = outgoing.first else { return }
    isDelivering = true
    world.after(max(first.arrival, world.now) - world.now) { [self] in
      isDelivering = false
      deliverFirst()
    }
  }

  private func deliverFirst() {
    guard let peerMachine, !machine.isLost, let first = outgoing.first else { return }
    if world.network.carries(from: machine, to: peerMachine) {
      _ = outgoing.popFirst()
      retry = Self.firstRetry
      if let peer { peer.receive(first.segment, from: self) } else { answeredByNobody() }
    } else if world.now - first.sent > SimulatedNetwork.timeout {
      outgoing.removeAll()
      fail(.timedOut(address: "\(peerMachine.address):\(peerPort)"))
    } else {
      // Sent again later, and later each time.
      _ = outgoing.replaceFirst(with: (first.segment, world.now + retry, first.sent))
      retry = min(retry * 2, Self.lastRetry)
    }
    deliverNext()
  }

  /// The machine of the peer runs, but has no such connection.
  private func answeredByNobody() {
    guard let peerMachine, !peerMachine.isLost else { return }
    world.network.send(from: peerMachine, to: machine) { [weak self] in self?.fail(.reset) }
  }

  private func receive(_ segment: Segment, from sender: SimulatedSocket) {
    guard state == .open, error == nil else {
      if case .bytes = segment { sender.resetByPeer(from: machine) }
      return
    }
    switch segment {
    case .bytes(let bytes):
      unread += bytes
      receivedCount += bytes.count
      acknowledge()
    case .end: hasEnd = true
    }
    onChange?()
  }

  /// Acknowledges what has arrived: again later while the way is cut, as TCP does for a segment that is sent again.
  private func acknowledge(after retry: UInt64 = SimulatedSocket.firstRetry) {
    guard let peer else { return }
    if world.network.carries(from: machine, to: peer.machine) {
      let delay = world.network.delay(from: machine, to: peer.machine)
      peer.noteAcknowledgement(of: receivedCount, at: world.now.addingClamped(delay))
    } else if !machine.isLost, peer.state != .closed {
      world.after(retry) { [self] in acknowledge(after: min(retry * 2, Self.lastRetry)) }
    }
  }

  /// Notes what the peer's system has received; taken into account when it arrives.
  private func noteAcknowledgement(of count: Int, at arrival: UInt64) {
    acknowledgements.append((count, arrival))
    waitForRoom()
  }

  private func takeAcknowledgements() {
    while let first = acknowledgements.first, first.arrival <= world.now {
      _ = acknowledgements.popFirst()
      guard first.count > acknowledgedCount else { continue }
      (acknowledgedCount, lastAcknowledged) = (first.count, first.arrival)
    }
  }

  /// Waits for the next acknowledgement, if a write was cut short.
  private func waitForRoom() {
    guard isFull, !isWaitingForRoom, let first = acknowledgements.first else { return }
    isWaitingForRoom = true
    world.after(max(first.arrival, world.now) - world.now) { [self] in
      isWaitingForRoom = false
      roomChanged()
    }
  }

  private func roomChanged() {
    if isFull { onChange?() }
  }

  /// Whether a write that was cut short can go on; asked once.
  func takeWritable() -> Bool {
    guard isFull else { return false }
    guard room > 0 else {
      waitForRoom()
      return false
    }
    isFull = false
    return true
  }

  // MARK: Reading

  /// Takes some of the bytes that have arrived: of any number, as a read returns them.
  func read() -> [UInt8] {
    let count =
      machine.network.isOne(in: 8) ? 1 + machine.network.index(below: unread.count) : unread.count
    let bytes = Array(unread.prefix(count))
    unread.removeFirst(count)
    if let peer, peer.isFull {
      world.network.send(from: machine, to: peer.machine) { [weak peer] in peer?.roomChanged() }
    }
    return bytes
  }

  // MARK: The end

  /// Closes the socket: the peer receives what was written and the end, or a reset if bytes are unread.
  func close() {
    guard state != .closed else { return }
    if state == .open { unread.isEmpty && error == nil ? endWriting() : resetPeer() }
    finish()
  }

  /// Breaks the connection at both ends, as something on the way does.
  func breakOff() {
    peer?.fail(.reset)
    fail(.reset)
  }

  func reset() {
    guard state != .closed else { return }
    resetPeer()
    finish()
  }

  /// Forgets the socket without a word to the peer.
  func vanish() {
    outgoing = Fifo()
    finish()
  }

  private func resetPeer() { peer?.resetByPeer(from: machine) }

  private func resetByPeer(from other: SimulatedMachine) {
    world.network.send(from: other, to: machine) { [weak self] in self?.fail(.reset) }
  }

  private func fail(_ error: TransportError) {
    guard state != .closed, self.error == nil else { return }
    self.error = error
    onChange?()
  }

  private func finish() {
    state = .closed
    onChange = nil
    process.sockets[ObjectIdentifier(self)] = nil
    // What travels keeps the peer, not this.
    unread = []
  }
}
