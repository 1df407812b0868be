/// The process of an object that outlives it: nil before its start and after its end.
///
/// A weak reference would make each use of the process slower.
final class ProcessReference: Sendable {
  private let process = Locked<SimulatedProcess?>(nil)

  var current: SimulatedProcess? { process.withLock { $0 } }

  func start(_ process: SimulatedProcess) { self.process.withLock { $0 = process } }

  func end() { process.withLock { $0 = nil } }
}
