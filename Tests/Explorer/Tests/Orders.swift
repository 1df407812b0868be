import TestSupport
import Testing

@testable import ExploredReactive

/// Explorations of every order of the steps of a few threads.
///
/// One exploration runs at a time, because it controls all atomics of the module.
@Suite("Every order of the threads", .serialized, .workerPool)
struct Orders {}

/// Makes observers, and records their events and their release.
final class ObserverProbe {
  private final class Token {}

  private var token: Token? = Token()
  private weak var held: Token?
  private(set) var received: [Int] = []
  private(set) var ends = 0
  private var inside = 0
  /// The maximum number of threads that called the observer at the same time.
  private(set) var most = 0

  /// Whether every observer is released.
  var isReleased: Bool {
    token = nil
    return held == nil
  }

  func observer(_ lifetime: Lifetime) -> Observer<Int> {
    let token = token
    held = token
    return Observer(
      lifetime,
      next: { [unowned self] element in
        inside += 1
        most = max(most, inside)
        // A step, at which another thread can continue.
        _ = lifetime.isClosed
        withExtendedLifetime(token) { received.append(element) }
        inside -= 1
      },
      end: { [unowned self] _ in
        withExtendedLifetime(token) { if lifetime.finish() { ends += 1 } }
      })
  }
}
