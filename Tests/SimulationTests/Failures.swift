import Foundation
import ReactiveTesting

/// What a simulation has found; nil for nothing.
func failure(
  for duration: Duration = .seconds(5), only part: SimulationPart = .all,
  patience: Duration = .seconds(300), _ setUp: (SimulatedWorld) throws -> Void
) -> SimulationFailure? {
  do throws(SimulationFailure) {
    try Simulation(seed: 1, for: duration, only: part, patience: patience, setUp)
    return nil
  } catch { return error }
}

/// Runs `body` on another thread, and waits for it.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  done.wait()
}
