import RxReference

/// All observable events of a run.
package struct Journal: Equatable, Sendable {
  /// An event that an observer received, or a call of a closure.
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

  /// The events of each observer.
  var events: [[Entry]] = []
  /// The calls of closures in order.
  var effects: [Entry] = []
  /// The calls of `onDispose`, whose order within one tick is unspecified.
  var disposals: [Entry] = []
  /// The subscriptions and disposals of the hot and cold sources.
  var subscriptions: [Subscription] = []

  /// The journal with unspecified orders normalized.
  func sorted() -> Journal {
    var sorted = self
    sorted.disposals.sort { ($0.time, $0.node) < ($1.time, $1.node) }
    sorted.subscriptions.sort {
      ($0.source, $0.subscribed, $0.disposed) < ($1.source, $1.subscribed, $1.disposed)
    }
    return sorted
  }

  /// Describes the first entries that are only in this journal and only in `other`.
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
