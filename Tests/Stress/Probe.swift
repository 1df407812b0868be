import Reactive
import Synchronization

/// An observer that records violations of the event grammar.
final class Probe: Counted, @unchecked Sendable {
  // Everything is atomic.
  private let allowsOverlap: Bool
  private let inside = Atomic(0)
  private let overlaps = Atomic(0)
  private let late = Atomic(0)
  private let elements = Atomic(0)
  private let terminals = Atomic(0)
  private let greatest = Atomic(-1)
  private let disorder = Atomic(0)

  /// - Parameter allowsOverlap: Whether elements of several threads may arrive at the same time, as those of a
  ///   subject that several threads send to.
  init(allowsOverlap: Bool = false) {
    self.allowsOverlap = allowsOverlap
    super.init()
  }

  /// The number of received elements.
  var count: Int { elements.load(ordering: .acquiring) }
  /// The number of received terminal events.
  var ends: Int { terminals.load(ordering: .acquiring) }

  func receive(_ token: Token) {
    receive()
    // From one sender and in order.
    if token.number < greatest.exchange(token.number, ordering: .relaxed), token.sender == 0 {
      disorder.add(1, ordering: .relaxed)
    }
  }

  func receive() {
    if inside.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
      overlaps.add(1, ordering: .relaxed)
    }
    if terminals.load(ordering: .acquiring) > 0 { late.add(1, ordering: .relaxed) }
    elements.add(1, ordering: .relaxed)
    inside.subtract(1, ordering: .acquiringAndReleasing)
  }

  func receiveEnd() {
    if inside.load(ordering: .acquiring) > 0 { overlaps.add(1, ordering: .relaxed) }
    terminals.add(1, ordering: .acquiringAndReleasing)
  }

  /// A description of the first violation, or nil.
  var problem: String? {
    if ends > 1 { return "\(ends) ends" }
    if allowsOverlap { return nil }
    return overlaps.load(ordering: .acquiring).isNot(0, "overlapping elements")
      ?? late.load(ordering: .acquiring).isNot(0, "elements behind the end")
      ?? disorder.load(ordering: .acquiring).isNot(0, "elements out of order")
  }
}

extension ObservableType where Element == Token {
  /// Subscribes a probe.
  func probed(by probe: Probe) -> any Disposable {
    subscribe(
      onNext: { probe.receive($0) }, onError: { _ in probe.receiveEnd() },
      onCompleted: { probe.receiveEnd() })
  }
}

extension ObservableType {
  /// Subscribes a probe to elements of any type.
  func probedAsAny(by probe: Probe) -> any Disposable {
    subscribe(
      onNext: { _ in probe.receive() }, onError: { _ in probe.receiveEnd() },
      onCompleted: { probe.receiveEnd() })
  }
}

/// Sends `count` elements.
func send(_ count: Int, from sender: Int = 0, to target: some ObserverType<Token>) {
  for number in 0..<count { target.onNext(Token(number, from: sender)) }
}

/// Sends `count` elements and completes.
func sendAndComplete(_ count: Int, from sender: Int = 0, to target: some ObserverType<Token>) {
  send(count, from: sender, to: target)
  target.onCompleted()
}

extension Int {
  /// Returns a description of the problem unless the count is the expected one.
  func isNot(_ expected: Int, _ what: String) -> String? {
    self == expected ? nil : "\(self) \(what) instead of \(expected)"
  }
}
