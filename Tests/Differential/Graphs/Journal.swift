import RxReference

/// All that can be observed of a run.
package struct Journal: Equatable, Sendable {
  /// What an observer received, or a closure was called with.
  package struct Entry: Hashable, Sendable {
    enum Kind: Sendable { case next, completed, error, called, disposed }

    var time: Int
    var kind: Kind
    /// The element, or the code of the error.
    var value: Int
    /// The node of the graph whose closure was called.
    var node = 0
  }

  package struct Subscription: Hashable, Sendable {
    var source: Int
    var subscribed: Int
    var disposed = Int.max
  }

  /// What each observer received.
  var events: [[Entry]] = []
  /// The calls of closures, in their order.
  var effects: [Entry] = []
  /// Each `onDispose`, whose order within one tick is not promised.
  var disposals: [Entry] = []
  /// When the hot and cold sources were subscribed to, and let go of.
  var subscriptions: [Subscription] = []

  /// The same without the orders that nothing promises.
  func sorted() -> Journal {
    var sorted = self
    sorted.disposals.sort { ($0.time, $0.node) < ($1.time, $1.node) }
    sorted.subscriptions.sort {
      ($0.source, $0.subscribed, $0.disposed) < ($1.source, $1.subscribed, $1.disposed)
    }
    return sorted
  }

  /// What only this one has, and what only `other` has: enough of it to see what it is about.
  func differences(from other: Journal) -> String {
    func lines<Item: Equatable>(_ name: String, _ mine: [Item], _ others: [Item]) -> [String] {
      if mine == others { return [] }
      let common = zip(mine, others).prefix { $0 == $1 }.count
      return [
        "\(name), after \(common) that agree: \(Array(mine.dropFirst(common).prefix(3)))",
        "  instead of \(Array(others.dropFirst(common).prefix(3)))",
      ]
    }
    var all: [String] = []
    for (index, (mine, others)) in zip(events, other.events).enumerated() {
      all += lines("observer \(index)", mine, others)
    }
    all += lines("calls of closures", effects, other.effects)
    all += lines("disposals", disposals, other.disposals)
    all += lines("subscriptions", subscriptions, other.subscriptions)
    return all.map { "// " + $0 }.joined(separator: "\n")
  }
}

extension Journal.Entry: CustomStringConvertible {
  package var description: String {
    switch kind {
    case .next: "next(\(time), \(value))"
    case .completed: "completed(\(time))"
    case .error: "error(\(time), \(value))"
    case .called: "called(\(time), \(value), by: \(node))"
    case .disposed: "disposed(\(time), \(node))"
    }
  }
}

extension Journal.Subscription: CustomStringConvertible {
  package var description: String { "source \(source): \(subscribed) to \(disposed)" }
}
