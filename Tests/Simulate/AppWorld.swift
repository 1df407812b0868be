import ReactiveTesting

/// A world in which an app runs: a simulated one, or one of real sockets.
protocol AppWorld: AnyObject {
  /// Adds a machine with a program.
  @discardableResult
  func machine<Program>(
    _ name: String, _ start: @escaping (HostContext) throws -> Program
  ) -> any AppHost<Program>

  /// Runs `body` again and again.
  func every(
    _ interval: ClosedRange<Duration>,
    _ body: @escaping (_ random: inout any RandomNumberGenerator) -> Void)

  /// Lets faults happen; those of real sockets are decided by their world.
  func faults(_ faults: SimulatedFault...)

  /// A condition that holds at any time.
  func always(_ name: String, _ holds: @escaping () -> Bool)

  /// A condition that holds at some moment, within a time.
  func eventually(
    _ name: String, within limit: Duration, afterFaultsStop: Bool, _ holds: @escaping () -> Bool)
}

extension AppWorld {
  func everyFault() {
    faults(
      .network(.frequent), .crashes(.occasional), .pauses(.occasional), .disk(.occasional),
      .clockSkew)
  }
}

/// A machine of a world, and its program.
@dynamicMemberLookup
protocol AppHost<Program>: AnyObject {
  associatedtype Program
  var name: String { get }
  /// The program; nil while it does not run.
  var program: Program? { get }

  /// Runs `body` as code of the program, if it runs.
  func perform(_ body: @escaping (Program) -> Void)
  func startProgram()
  func crash()
  func losePower()
}

extension AppHost {
  /// A member of the program; nil while it does not run.
  subscript<Member>(dynamicMember path: KeyPath<Program, Member>) -> Member? {
    program?[keyPath: path]
  }
}

extension SimulatedHost: AppHost {}

extension SimulatedWorld: AppWorld {
  @discardableResult
  func machine<Program>(
    _ name: String, _ start: @escaping (HostContext) throws -> Program
  ) -> any AppHost<Program> { host(name, start) }
}
