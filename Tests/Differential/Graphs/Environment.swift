import RxReference

/// The objects that the closures of a graph use, for both implementations.
package final class Environment: @unchecked Sendable {
  // A run stays on one thread; the scheduler of a run is virtual.
  var journal = Journal()
  var now: () -> Int = { 0 }
  var send: (_ subject: Int, Notification<Int>) -> Void = { _, _ in }
  var dispose: (_ observer: Int) -> Void = { _ in }
  private var calls: [Int: Int] = [:]

  /// Records a call of a closure, and runs its action for this call.
  ///
  /// - Parameter closure: a unique number of the run.
  func call(_ action: Action, closure: Int, _ value: Int) throws -> Int {
    note(.called, value, closure)
    try perform(action, closure, value)
    return value
  }

  func note(_ kind: Journal.Entry.Kind, _ value: Int, _ node: Int) {
    let entry = Journal.Entry(time: now(), kind: kind, value: value, node: node)
    if kind == .disposed { journal.disposals.append(entry) } else { journal.effects.append(entry) }
  }

  func receive(_ entry: Journal.Entry, observer: Int) { journal.events[observer].append(entry) }

  func perform(_ action: Action, _ closure: Int, _ value: Int) throws {
    if action.kind == .nothing { return }
    let call = calls[closure, default: 0]
    calls[closure] = call + 1
    guard call == action.call else { return }
    switch action.kind {
    case .nothing: break
    case .fail: throw Fault(1)
    case .sendPublish: send(0, .next(value &+ 100))
    case .sendBehavior: send(1, .next(value &+ 100))
    case .sendReplay: send(2, .next(value &+ 100))
    case .completePublish: send(0, .end(nil))
    case .failPublish: send(0, .end(Fault(3)))
    case .completeReplay: send(2, .end(nil))
    case .disposeFirst: dispose(0)
    case .disposeSecond: dispose(1)
    }
  }
}
