import TestSupport
import Testing

@testable import ExploredReactive

/// Every order of the steps of a few threads.
///
/// One exploration at a time: whoever explores, explores with all of the module's atomics.
@Suite("Every order of the threads", .serialized, .workerPool)
struct Orders {}

/// Makes observers, and notes what they hear and whether they are released.
final class Watch {
  private final class Token {}

  private var token: Token? = Token()
  private weak var held: Token?
  private(set) var heard: [Int] = []
  private(set) var ends = 0
  private var inside = 0
  /// How many threads were telling it an element at once.
  private(set) var most = 0

  /// Whether every observer is.
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
        // A step, at which another thread may go on.
        _ = lifetime.isClosed
        withExtendedLifetime(token) { heard.append(element) }
        inside -= 1
      },
      end: { [unowned self] _ in
        withExtendedLifetime(token) { if lifetime.finish() { ends += 1 } }
      })
  }
}
