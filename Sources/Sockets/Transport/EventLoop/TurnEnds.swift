/// Receives the end of a turn of the event loop.
protocol TurnEndHandler: AnyObject {
  /// Called on the loop after the turn in which the handler asked for it.
  func turnEnded()
}

/// Calls a closure at the end of a turn.
final class TurnEndJob: TurnEndHandler {
  private let job: () -> Void

  init(_ job: @escaping () -> Void) { self.job = job }

  func turnEnded() { job() }
}

/// The handlers of the end of a turn, in the order in which they asked for it.
///
/// Its memory is kept for the next turn: an array takes ten times as long to be emptied.
struct TurnEnds: ~Copyable {
  // Memory for `capacity` handlers, of which the first `count` are initialized.
  private var base: UnsafeMutablePointer<any TurnEndHandler>?
  private var count = 0
  private var capacity = 0

  var isEmpty: Bool { count == 0 }

  deinit {
    base?.deinitialize(count: count)
    base?.deallocate()
  }

  mutating func append(_ handler: any TurnEndHandler) {
    if count == capacity { grow() }
    // `grow` has made room.
    base.unsafelyUnwrapped.advanced(by: count).initialize(to: handler)
    count += 1
  }

  private mutating func grow() {
    capacity = max(8, 2 * capacity)
    let larger = UnsafeMutablePointer<any TurnEndHandler>.allocate(capacity: capacity)
    if let base {
      larger.moveInitialize(from: base, count: count)
      base.deallocate()
    }
    base = larger
  }

  /// Removes and calls all handlers, none of which may be added meanwhile.
  mutating func callAll() {
    let called = count
    count = 0
    guard let base else { return }
    for index in 0..<called { (base + index).move().turnEnded() }
  }
}
