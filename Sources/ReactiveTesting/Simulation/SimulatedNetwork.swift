/// The network between the machines of a simulation: what is sent arrives later, in order for each
/// connection, and not while a link is cut.
final class SimulatedNetwork {
  /// How a network behaves while nothing is broken.
  struct Quality: Sendable {
    /// The time on the way.
    var latency: ClosedRange<Duration> = .microseconds(200)...(.milliseconds(5))
    /// What each machine sends in a second; nil for no limit.
    var bytesPerSecond: Int?
    /// One segment in this number is lost, and sent again later; 0 for none.
    var lossOneIn = 0
  }

  private struct Link: Hashable {
    let from: Int
    let to: Int
  }

  private unowned let world: WorldCore
  var quality = Quality()
  private var machines: [SimulatedMachine] = []
  /// How often the directions are cut that carry nothing.
  private var cuts: [Link: Int] = [:]

  init(_ world: WorldCore) { self.world = world }

  func add(_ machine: SimulatedMachine) { machines.append(machine) }

  // MARK: Faults

  /// Cuts the direction from one machine to another.
  func cut(from: SimulatedMachine, to: SimulatedMachine) {
    cuts[Link(from: from.number, to: to.number), default: 0] += 1
  }

  /// Ends one cut of the direction from one machine to another; returns false when it has ended already.
  func heal(from: SimulatedMachine, to: SimulatedMachine) -> Bool {
    let link = Link(from: from.number, to: to.number)
    guard let count = cuts[link] else { return false }
    cuts[link] = count > 1 ? count - 1 : nil
    return true
  }

  func healAll() { cuts = [:] }

  private func isCut(_ from: SimulatedMachine, _ to: SimulatedMachine) -> Bool {
    !cuts.isEmpty && cuts[Link(from: from.number, to: to.number)] != nil
  }

  // MARK: What is sent

  /// Finds a machine by a name or an address; nil for one that does not exist.
  func lookUp(
    _ host: String, for asking: SimulatedMachine, _ found: @escaping (SimulatedMachine?) -> Void
  ) {
    let machine = machines.first { $0.isNamed(host, by: asking) }
    world.after(latency(of: asking)) { found(machine) }
  }

  /// Sends something that is lost when the way is cut.
  func send(
    from: SimulatedMachine, to: SimulatedMachine, _ arrive: @escaping () -> Void
  ) {
    if isLost(from, to) { return }
    world.after(latency(from, to)) { [self] in
      if !isCut(from, to), !to.isLost { arrive() }
    }
  }

  /// The time until a segment arrives, with that in which a lost one is sent again.
  func delay(from: SimulatedMachine, to: SimulatedMachine, byteCount: Int = 0) -> UInt64 {
    var delay = latency(from, to)
    if let bytesPerSecond = quality.bytesPerSecond, from !== to {
      let nanoseconds = Double(byteCount) / Double(max(1, bytesPerSecond)) * 1e9
      from.sendsUntil = max(from.sendsUntil, world.now).addingClamped(UInt64(nanoseconds))
      delay = delay.addingClamped(from.sendsUntil - world.now)
    }
    while quality.lossOneIn > 0, from !== to, from.network.isOne(in: quality.lossOneIn) {
      let retry = from.network.nanoseconds(in: .milliseconds(200)...(.seconds(1)))
      delay = delay.addingClamped(retry)
    }
    return delay
  }

  /// Whether something that arrives now does arrive.
  func carries(from: SimulatedMachine, to: SimulatedMachine) -> Bool {
    !isCut(from, to) && !to.isLost
  }

  /// The time after which Linux gives up a connection, in nanoseconds.
  static let timeout: UInt64 = 924_000_000_000

  private func latency(_ from: SimulatedMachine, _ to: SimulatedMachine) -> UInt64 {
    from === to ? 20_000 : latency(of: from)
  }

  private func latency(of machine: SimulatedMachine) -> UInt64 {
    // In a given order, what is sent at one moment arrives at one moment.
    world.part.order == nil
      ? machine.network.nanoseconds(in: quality.latency)
      : quality.latency.upperBound.nanoseconds
  }

  private func isLost(_ from: SimulatedMachine, _ to: SimulatedMachine) -> Bool {
    from.isLost || isCut(from, to)
      || quality.lossOneIn > 0 && from !== to && from.network.isOne(in: quality.lossOneIn)
  }
}
