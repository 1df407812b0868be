import Foundation
import Synchronization

/// Ctrl-C: the run stops after the current batch, and prints the finished workloads.
enum Interrupt {
  /// Thrown where a run stops.
  struct Requested: Error {}

  private static let isRequested = Atomic(false)

  /// Observes Ctrl-C from now on; a second one ends the process at once.
  static func listen() {
    // Initialises the atomic before the signal handler uses it.
    _ = isRequested.load(ordering: .relaxed)
    signal(SIGINT) { _ in
      Interrupt.isRequested.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
  }

  /// For a process that another one ends.
  static func ignore() { signal(SIGINT, SIG_IGN) }

  /// - Throws: `Requested`, once Ctrl-C was pressed.
  static func check() throws {
    if isRequested.load(ordering: .relaxed) { throw Requested() }
  }
}
