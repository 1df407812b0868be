/// A machine of a simulation with a program of yours.
///
/// Its members are used in the closures of the simulation, on its thread.
@dynamicMemberLookup
public final class SimulatedHost<Program>: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  let machine: SimulatedMachine
  private let world: WorldCore
  /// Nil once the simulation has ended.
  private var start: ((HostContext) throws -> Program)?
  private var startCount = 0
  /// How often it has started at one moment, and at which.
  private var startsAtOnce = (count: 0, time: UInt64(0))
  private static var mostStartsAtOnce: Int { 1_000 }
  /// Whether it was stopped in the closure that sets the simulation up.
  private(set) var isStoppedAtStart = false
  /// How often it was stopped.
  private(set) var stopCount = 0

  init(
    _ machine: SimulatedMachine, _ world: WorldCore,
    _ start: @escaping (HostContext) throws -> Program
  ) { (self.machine, self.world, self.start) = (machine, world, start) }

  /// The name of the host, by which others connect to it.
  public var name: String { machine.name }

  /// The program; nil while the host is stopped.
  public var program: Program? { isOnThread ? machine.process?.program as? Program : nil }

  /// A member of the program; nil while the host is stopped.
  public subscript<Member>(dynamicMember path: KeyPath<Program, Member>) -> Member? {
    program?[keyPath: path]
  }

  /// Runs `body` as code of the host, on its main queue; does nothing while the host is stopped.
  public func perform(_ body: @escaping (Program) -> Void) {
    guard isOnThread, let process = machine.process else { return }
    world.noteActionHost(name)
    process.enqueue(on: .main, after: 0) { [weak self] in
      if let program = self?.program { body(program) }
    }
  }

  /// Whether the caller is on the thread of the simulation; otherwise the simulation fails.
  private var isOnThread: Bool {
    if world.isOnThread { return true }
    world.fail(
      .unsteered(
        host: name, "the host is used by another thread; use it in the closures of the simulation"))
    return false
  }

  /// Starts the program; does nothing while it runs, and once the simulation has ended.
  public func startProgram() {
    guard isOnThread, let start, machine.process == nil, !machine.isAbsent else { return }
    startsAtOnce =
      startsAtOnce.time == world.now ? (startsAtOnce.count + 1, world.now) : (1, world.now)
    if startsAtOnce.count > Self.mostStartsAtOnce {
      return world.fail(.endless(host: name, at: .nanoseconds(Int64(world.now))))
    }
    machine.isLost = false
    startCount += 1
    world.note("\(name) starts")
    let process = SimulatedProcess(on: machine, in: world)
    machine.process = process
    let context = HostContext(name: name, starts: startCount)
    process.enqueue(on: .main, after: 0) { [self] in
      do {
        process.program = try start(context)
      } catch {
        world.fail(.thrown("\(name): \(error)"))
      }
    }
  }

  /// Ends the program without a warning, as a crash does; when the program itself calls this, after its current job.
  ///
  /// Its memory is lost, and the system of the host closes its connections.
  public func crash() { stop(isMachineLost: false) }

  /// Switches the machine off: its peers receive neither an end nor an answer; when the program itself calls this,
  /// after its current job.
  public func losePower() { stop(isMachineLost: true) }

  private func stop(isMachineLost: Bool) {
    guard isOnThread, start != nil else { return }
    let process = machine.process
    if process == nil { isStoppedAtStart = true }
    guard process != nil || isMachineLost && !machine.isLost else { return }
    if let process, SimulatedProcess.current === process {
      // Its code is still on the stack.
      return world.after(0) { [weak self] in
        if self?.machine.process === process { self?.stop(isMachineLost: isMachineLost) }
      }
    }
    if process != nil { stopCount += 1 }
    world.note("\(name) \(isMachineLost ? "loses its power" : "crashes")")
    machine.process = nil
    machine.isLost = isMachineLost
    process?.end(isMachineLost: isMachineLost)
    if isMachineLost { machine.disk.losePower(&machine.random) }
  }

  func end() { start = nil }
}

/// A host of any program.
protocol AnySimulatedHost: AnyObject {
  var machine: SimulatedMachine { get }
  var stopCount: Int { get }
  var isStoppedAtStart: Bool { get }
  func startProgram()
  func crash()
  func losePower()
  /// Releases the closure that starts the program: the simulation has ended.
  func end()
}

extension SimulatedHost: AnySimulatedHost {}

/// What the closure of a host knows of its host.
public struct HostContext: Sendable {
  /// The name of the host.
  public let name: String
  /// How often its program has started, from 1.
  public let starts: Int

  package init(name: String, starts: Int) { (self.name, self.starts) = (name, starts) }
}
