/// What may break in a simulation.
///
/// Each fault that happens has a number in the story, by which a ``SimulationPart`` keeps it or leaves it out.
/// Leaving one out changes no other.
public struct SimulatedFault: Sendable {
  /// How often a fault happens.
  public enum Frequency: Sendable {
    /// About every ten minutes.
    case rare
    /// About every minute.
    case occasional
    /// Every few seconds.
    case frequent

    var interval: ClosedRange<Duration> {
      switch self {
      case .rare: .seconds(60)...(.seconds(1_200))
      case .occasional: .seconds(5)...(.seconds(120))
      case .frequent: .milliseconds(500)...(.seconds(10))
      }
    }
  }

  /// A kind of fault, for ``Simulation/faultCounts``.
  public enum Kind: String, CaseIterable, Sendable {
    /// Segments are lost and sent again, for the whole time.
    case lostSegments
    /// A link carries nothing in one direction.
    case oneWayCut
    /// A link carries nothing.
    case cut
    /// The connections between two machines are reset.
    case reset
    /// A program ends without a warning.
    case crash
    /// A machine loses its power.
    case powerLoss
    /// A program is stopped for a time, and goes on.
    case pause
    /// Nothing more can be written to a disk for a time.
    case fullDisk
    /// Nothing reaches a disk for a time, and each flush fails.
    case failingDisk
    /// The clock of a host shows another time of day.
    case clockError
  }

  let begin: @Sendable (FaultSource) -> Void

  /// Segments that are lost and sent again, links that carry nothing for a time, in one direction or both, and
  /// connections that are reset.
  public static func network(_ frequency: Frequency) -> SimulatedFault {
    SimulatedFault { source in
      let number =
        switch frequency {
        case .rare: 1_000
        case .occasional: 100
        case .frequent: 20
        }
      source.begin(
        .lostSegments, "one segment in \(number) is lost, and sent again"
      ) { $0.network.quality.lossOneIn = number }
      source.every(frequency) { random, hosts in
        guard hosts.count > 1 else { return nil }
        let first = hosts[random.index(below: hosts.count)].machine
        let second = hosts[random.index(below: hosts.count)].machine
        let time = random.nanoseconds(in: .milliseconds(100)...(.seconds(60)))
        let choice = random.index(below: 6)
        if first === second { return nil }
        return choice == 0
          ? .reset(between: first, second)
          : .cut(from: first, to: second, isOneWay: choice < 3, for: time)
      }
    }
  }

  /// Programs that end without a warning, machines that lose their power, and start again.
  public static func crashes(_ frequency: Frequency) -> SimulatedFault {
    SimulatedFault { source in
      source.everyHost(frequency) { random, host in
        let isPowerLost = random.isOne(in: 3)
        let time = random.nanoseconds(in: .milliseconds(100)...(.seconds(30)))
        return .stop(of: host, isPowerLost: isPowerLost, for: time)
      }
    }
  }

  /// Programs that are stopped for up to a minute, as by a debugger or a busy machine, and go on.
  ///
  /// Their clocks and the network go on meanwhile.
  public static func pauses(_ frequency: Frequency) -> SimulatedFault {
    SimulatedFault { source in
      source.everyHost(frequency) { random, host in
        .pause(of: host, for: random.nanoseconds(in: .milliseconds(10)...(.seconds(60))))
      }
    }
  }

  /// Disks that are full, or fail, for a time: a `FileStorage` cannot save.
  ///
  /// Whatever the faults, a machine that loses its power loses what its programs have not flushed to the disk.
  public static func disk(_ frequency: Frequency) -> SimulatedFault {
    SimulatedFault { source in
      source.everyHost(frequency) { random, host in
        let isFull = random.isOne(in: 2)
        let time = random.nanoseconds(in: .milliseconds(10)...(.seconds(60)))
        return .disk(of: host.machine, isFull: isFull, for: time)
      }
    }
  }

  /// Clocks of hosts that show up to an hour too much or too little.
  public static let clockSkew = SimulatedFault { source in
    for host in source.hosts {
      let milliseconds = source.random.index(below: 7_200_001) - 3_600_000
      let error = Duration.milliseconds(milliseconds)
      source.begin(.clockError, "the clock of \(host.machine.name) is \(error) fast") { _ in
        host.machine.clockError = Double(milliseconds) / 1_000
      }
    }
  }
}

/// The faults of one declaration, drawn from numbers of their own.
final class FaultSource {
  private let world: SimulatedWorld
  var random: SimulationRandom

  init(_ world: SimulatedWorld, _ number: Int) {
    self.world = world
    random = world.core.numbers(for: .faults, number)
  }

  /// A fault that is drawn, and may happen.
  struct Fault {
    let kind: SimulatedFault.Kind
    /// Notes what it does, and does it; returns false when it cannot happen.
    let happen: (WorldCore) -> Bool
  }

  var hosts: [any AnySimulatedHost] { world.hosts }

  /// A fault that holds from the beginning.
  func begin(_ kind: SimulatedFault.Kind, _ text: String, _ happen: @escaping (WorldCore) -> Void) {
    world.core.happen(
      Fault(kind: kind) { core in
        core.note(text)
        happen(core)
        return true
      })
  }

  /// Draws a fault again and again, until faults stop.
  ///
  /// - Parameter draw: draws what does not depend on what has happened; nil for no fault this time.
  func every(
    _ frequency: SimulatedFault.Frequency,
    _ draw: @escaping (inout SimulationRandom, [any AnySimulatedHost]) -> Fault?
  ) {
    world.core.after(random.nanoseconds(in: frequency.interval)) { [self] in
      if world.areFaultsOver { return }
      if let fault = draw(&random, world.hosts) { world.core.happen(fault) }
      every(frequency, draw)
    }
  }
}

extension FaultSource {
  /// Draws a fault of any host again and again, until faults stop.
  func everyHost(
    _ frequency: SimulatedFault.Frequency,
    _ draw: @escaping (inout SimulationRandom, any AnySimulatedHost) -> Fault
  ) {
    every(frequency) { random, hosts in
      if hosts.isEmpty { return nil }
      let host = hosts[random.index(below: hosts.count)]
      return draw(&random, host)
    }
  }
}

extension FaultSource.Fault {
  static func cut(
    from first: SimulatedMachine, to second: SimulatedMachine, isOneWay: Bool, for time: UInt64
  ) -> Self {
    Self(kind: isOneWay ? .oneWayCut : .cut) { core in
      if first.isAbsent || second.isAbsent { return false }
      core.note("\(first.name) cannot reach \(second.name)" + (isOneWay ? "" : ", nor be reached"))
      core.network.cut(from: first, to: second)
      if !isOneWay { core.network.cut(from: second, to: first) }
      core.after(time) {
        // Another fault may cut the same way for longer.
        guard core.network.heal(from: first, to: second) else { return }
        if !isOneWay { _ = core.network.heal(from: second, to: first) }
        core.note("\(first.name) is cut off from \(second.name) no more")
      }
      return true
    }
  }

  static func reset(between first: SimulatedMachine, _ second: SimulatedMachine) -> Self {
    Self(kind: .reset) { core in
      let sockets = first.process?.connections(to: second) ?? []
      if sockets.isEmpty { return false }
      core.note("the connections of \(first.name) and \(second.name) are reset")
      for socket in sockets { socket.breakOff() }
      return true
    }
  }

  static func stop(
    of host: any AnySimulatedHost, isPowerLost: Bool, for time: UInt64
  ) -> Self {
    Self(kind: isPowerLost ? .powerLoss : .crash) { core in
      guard host.machine.process != nil else { return false }
      if isPowerLost { host.losePower() } else { host.crash() }
      let stop = host.stopCount
      // Another stop has its own time.
      core.after(time) { if host.stopCount == stop { host.startProgram() } }
      return true
    }
  }

  static func pause(of host: any AnySimulatedHost, for time: UInt64) -> Self {
    Self(kind: .pause) { core in
      guard let process = host.machine.process, !process.isPaused else { return false }
      core.note("\(host.machine.name) is paused for \(SimulationEvent.seconds(time)) s")
      process.isPaused = true
      core.after(time) { process.isPaused = false }
      return true
    }
  }

  static func disk(of machine: SimulatedMachine, isFull: Bool, for time: UInt64) -> Self {
    Self(kind: isFull ? .fullDisk : .failingDisk) { core in
      if machine.isAbsent { return false }
      core.note("the disk of \(machine.name) \(isFull ? "is full" : "fails")")
      let fault = isFull ? \SimulatedDisk.fullCount : \SimulatedDisk.failingCount
      machine.disk[keyPath: fault] += 1
      core.after(time) {
        guard machine.disk[keyPath: fault] > 0 else { return }
        machine.disk[keyPath: fault] -= 1
        if machine.disk[keyPath: fault] > 0 { return }
        core.note("the disk of \(machine.name) \(isFull ? "has room" : "works") again")
      }
      return true
    }
  }
}
