import Compose
import Dispatch
import Foundation
import ReactiveTesting

/// A world of real sockets: the programs share the main queue of this process, and servers and clients have a
/// network each, with one link between them that breaks.
///
/// A program's events of sockets arrive on the thread of the event loop; what they change needs a lock.
///
/// It shows whether the simulated world is kinder than the real one: the apps do the same there, and the same
/// conditions hold.
final class RealWorld: AppWorld, @unchecked Sendable {
  // Used on the main queue alone.
  private let network: RealNetwork
  private var random: RandomSource
  private var starts: [() throws -> Void] = []
  private var actions: [() -> Void] = []
  private var always: [(name: String, holds: () -> Bool)] = []
  private var eventually: [(name: String, limit: Duration, holds: () -> Bool)] = []
  /// How often each fault has happened.
  private(set) var faultCounts: [RealNetwork.Fault: Int] = [:]

  init(_ network: RealNetwork, seed: UInt64) {
    self.network = network
    random = .seeded(seed)
  }

  func machine<Program>(
    _ name: String, _ start: @escaping (HostContext) throws -> Program
  ) -> any AppHost<Program> {
    let host = RealHost(name, in: network, start)
    starts.append(host.begin)
    return host
  }

  func every(
    _ interval: ClosedRange<Duration>,
    _ body: @escaping (inout any RandomNumberGenerator) -> Void
  ) {
    let action = RepeatedAction(interval, .seeded(random.next()), body)
    actions.append(action.goOn)
  }

  func faults(_ faults: SimulatedFault...) {}

  func always(_ name: String, _ holds: @escaping () -> Bool) { always.append((name, holds)) }

  func eventually(
    _ name: String, within limit: Duration, afterFaultsStop: Bool, _ holds: @escaping () -> Bool
  ) { eventually.append((name, limit, holds)) }

  // MARK: The run

  /// Runs the programs while the link breaks, and then until all conditions hold.
  ///
  /// - Returns: the condition that does not hold; nil if all do.
  @MainActor func run(for duration: Duration) async throws -> String? {
    for start in starts { try start() }
    for action in actions { action() }
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {
      if let violated = try await wait(random.seconds(in: .milliseconds(300)...(.seconds(5)))) {
        return violated
      }
      let fault = RealNetwork.Fault.allCases.randomElement(using: &random) ?? .cut
      faultCounts[fault, default: 0] += 1
      try await network.begin(fault)
      guard fault.lasts else { continue }
      if let violated = try await wait(random.seconds(in: .milliseconds(100)...(.seconds(10)))) {
        return violated
      }
      try await network.heal()
    }
    return try await finish()
  }

  /// Waits until the conditions hold that hold some time.
  @MainActor private func finish() async throws -> String? {
    let start = ContinuousClock.now
    var waiting = eventually
    while true {
      waiting.removeAll { $0.holds() }
      if waiting.isEmpty { return violated }
      let time = ContinuousClock.now - start
      if let missed = waiting.first(where: { $0.limit < time }) {
        return "\(missed.name), within \(missed.limit)"
      }
      if let violated = try await wait(0.1) { return violated }
    }
  }

  /// Waits, and returns a condition that does not hold.
  @MainActor private func wait(_ seconds: Double) async throws -> String? {
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      try await Task.sleep(for: .milliseconds(10))
      if let violated { return violated }
    } while ContinuousClock.now < end
    return nil
  }

  @MainActor private var violated: String? { always.first { !$0.holds() }?.name }
}

/// A program of a real world, in the network of the servers or in that of the clients.
private final class RealHost<Program>: AppHost, @unchecked Sendable {
  // Used on the main queue alone.
  let name: String
  private(set) var program: Program?
  private let network: RealNetwork
  private let start: (HostContext) throws -> Program
  private var startCount = 0

  init(
    _ name: String, in network: RealNetwork, _ start: @escaping (HostContext) throws -> Program
  ) { (self.name, self.network, self.start) = (name, network, start) }

  func begin() throws {
    startCount += 1
    let context = HostContext(name: name, starts: startCount)
    let isServer = RealNetwork.servers.contains(name)
    program = isServer ? try network.amongServers { try start(context) } : try start(context)
  }

  func perform(_ body: @escaping (Program) -> Void) {
    let call = OfMainQueue(value: body)
    DispatchQueue.main.async { if let program = self.program { call.value(program) } }
  }

  func startProgram() { if program == nil { try? begin() } }

  func crash() { program = nil }

  func losePower() { crash() }
}

/// An action that is done again and again.
private final class RepeatedAction: @unchecked Sendable {
  // Used on the main queue alone.
  private let interval: ClosedRange<Duration>
  private var numbers: any RandomNumberGenerator
  private let body: (inout any RandomNumberGenerator) -> Void

  init(
    _ interval: ClosedRange<Duration>, _ numbers: RandomSource,
    _ body: @escaping (inout any RandomNumberGenerator) -> Void
  ) { (self.interval, self.numbers, self.body) = (interval, numbers, body) }

  func goOn() {
    DispatchQueue.main.asyncAfter(deadline: .now() + numbers.seconds(in: interval)) { [self] in
      body(&numbers)
      goOn()
    }
  }
}

/// A value of the main queue, which alone makes and uses it.
private struct OfMainQueue<Value>: @unchecked Sendable {
  let value: Value
}

extension RandomNumberGenerator {
  fileprivate mutating func seconds(in interval: ClosedRange<Duration>) -> Double {
    let bounds = (interval.lowerBound / .seconds(1))...(interval.upperBound / .seconds(1))
    return Double.random(in: bounds, using: &self)
  }
}
