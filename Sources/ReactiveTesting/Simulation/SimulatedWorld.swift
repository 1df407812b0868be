/// A simulation while it is set up: its hosts, faults and conditions.
public final class SimulatedWorld {
  let core: WorldCore
  private var always: [(name: String, holds: () -> Bool)] = []
  private(set) var states: [() -> AnyHashable] = []
  private(set) var eventually: [EventualCondition] = []
  private(set) var faults: [SimulatedFault] = []
  private(set) var hosts: [any AnySimulatedHost] = []
  private var actionSources = 0
  private var hasBegun = false

  /// A condition that shall hold some time.
  struct EventualCondition {
    let name: String
    let limit: Duration
    let isAfterFaults: Bool
    let holds: () -> Bool
  }

  init(_ core: WorldCore) {
    self.core = core
    core.check = { [unowned self] in
      for (name, holds) in always where !holds() { throw SimulationProblem.violated(name) }
    }
  }

  /// Adds a host, whose program starts with the simulation, and again after a crash.
  ///
  /// The closure is called as code of the host, on its main queue. Whatever of this package the program
  /// uses there and later belongs to the host: sockets, servers, schedulers, tasks, random numbers.
  ///
  /// - Parameters:
  ///   - name: name by which others connect: `ws://server:8080/`; that of no other host.
  ///   - start: returns the program, which the simulation keeps until the host stops.
  @discardableResult
  public func host<Program>(
    _ name: String, _ start: @escaping (HostContext) throws -> Program
  ) -> SimulatedHost<Program> {
    failIfBegun("the host \(name)")
    if core.machines.contains(where: { $0.name == name }) {
      core.fail(.thrown("Two hosts have the name \"\(name)\", by which others connect."))
    }
    if name.isEmpty || name == "localhost" || NetworkAddress(name) != nil {
      core.fail(.thrown("\"\(name)\" is no name of a host, by which others could connect."))
    }
    let host = SimulatedHost(core.addMachine(name), core, start)
    hosts.append(host)
    return host
  }

  /// Sets how the network is while nothing is broken.
  ///
  /// - Parameters:
  ///   - latency: time on the way, of which that of each segment is drawn: 0.2 to 5 milliseconds.
  ///   - bytesPerSecond: what each machine sends in a second at most, one segment after the other; no limit for
  ///     nil, the default.
  public func network(
    latency: ClosedRange<Duration> = .microseconds(200)...(.milliseconds(5)),
    bytesPerSecond: Int? = nil
  ) {
    core.network.quality.latency = latency
    core.network.quality.bytesPerSecond = bytesPerSecond
  }

  /// A condition that is checked after each job of the simulation.
  public func always(_ name: String, _ holds: @escaping () -> Bool) {
    always.append((name, holds))
  }

  /// A condition that shall hold at some moment; it is looked at ten times a second.
  ///
  /// - Parameters:
  ///   - name: name of the condition in a failure.
  ///   - limit: time within which it shall hold.
  ///   - afterFaultsStop: whether that time begins when the time of the simulation is over, and nothing
  ///     is broken any more: links are whole and all hosts run. Otherwise it begins at the start, and ends with
  ///     the time of the simulation.
  ///   - holds: the condition.
  public func eventually(
    _ name: String, within limit: Duration, afterFaultsStop: Bool = false,
    _ holds: @escaping () -> Bool
  ) {
    failIfBegun("the condition \(name)")
    eventually.append(
      EventualCondition(name: name, limit: limit, isAfterFaults: afterFaultsStop, holds: holds))
  }

  /// A state whose values are counted when a simulation runs in all orders, such as that of a composer.
  ///
  /// It is read after each job.
  public func state(_ state: @escaping () -> some Hashable) {
    states.append { AnyHashable(state()) }
  }

  /// Runs `body` after a time, once.
  public func after(_ delay: Duration, _ body: @escaping () -> Void) {
    core.after(delay.nanoseconds) { [core] in core.act(body) }
  }

  /// Runs `body` again and again, with numbers of the seed.
  ///
  /// - Parameters:
  ///   - interval: time between two runs, of which each is drawn.
  ///   - body: called as code of the simulation, with its generator; code of a host is in its `perform`.
  public func every(
    _ interval: ClosedRange<Duration>,
    _ body: @escaping (_ random: inout any RandomNumberGenerator) -> Void
  ) {
    actionSources += 1
    repeatAction(interval, ActionSource(core, number: actionSources), body)
  }

  private func repeatAction(
    _ interval: ClosedRange<Duration>, _ source: ActionSource,
    _ body: @escaping (_ random: inout any RandomNumberGenerator) -> Void
  ) {
    core.after(source.times.nanoseconds(in: interval)) { [self] in
      var random: any RandomNumberGenerator = source.numbersOfNext()
      core.act { body(&random) }
      repeatAction(interval, source, body)
    }
  }

  /// The faults that happen during the time of the simulation.
  public func faults(_ faults: SimulatedFault...) {
    failIfBegun("a fault")
    self.faults += faults
  }

  /// Ends the simulation with a failure once it runs: what is added then would have no effect.
  private func failIfBegun(_ added: String) {
    guard hasBegun else { return }
    core.fail(
      .thrown(
        "\(added) is added while the simulation runs. Add it in the closure that sets the simulation up; "
          + "a host may begin there with crash() and start later with startProgram()."))
  }

  // MARK: The run

  func begin() {
    hasBegun = true
    for host in hosts where !host.isStoppedAtStart { host.startProgram() }
    for (number, fault) in faults.enumerated() { fault.begin(FaultSource(self, number)) }
  }

  /// Releases the closures, which may keep this.
  func end() {
    for host in hosts { host.end() }
    (always, states, eventually, hosts) = ([], [], [], [])
  }

  /// Ends what is broken.
  func endFaults() {
    core.note("faults stop")
    areFaultsOver = true
    core.network.healAll()
    core.network.quality.lossOneIn = 0
    for host in hosts {
      host.machine.process?.isPaused = false
      host.machine.disk.mend()
      host.startProgram()
    }
  }

  private(set) var areFaultsOver = false
}

/// Draws when the action of an `every` runs, and what it draws itself: from numbers of its own, so that an action
/// that is left out changes no other.
private final class ActionSource {
  var times: SimulationRandom
  private let core: WorldCore
  private let number: Int
  private var count = 0

  init(_ core: WorldCore, number: Int) {
    (self.core, self.number) = (core, number)
    times = core.numbers(for: .actionTimes, number)
  }

  func numbersOfNext() -> SimulationRandom {
    count += 1
    return core.numbers(for: .actions, number, count)
  }
}
