/// A row of a diagram that its reader can change.
package struct DiagramInput: Sendable {
  /// What the row's times count from, and what its marbles do.
  package enum Kind: Sendable {
    /// Emits at its times, with or without an observer.
    case hot
    /// Emits to each observer, at times since its subscription.
    case cold
    /// Subscribes and disposes of the subscription.
    case observer
  }

  package let name: String
  package let kind: Kind
  package let marbles: [Marble]
  /// The number of seconds, from 0 on, at which a marble can be.
  package let slots: Int

  private init(_ name: String, _ kind: Kind, _ drawing: String) {
    self.name = name
    self.kind = kind
    marbles = Array(drawing: drawing)
    slots = drawing.count
  }

  /// A source that emits with or without an observer.
  package static func hot(_ drawing: String, _ name: String = "source") -> DiagramInput {
    DiagramInput(name, .hot, drawing)
  }

  /// A source that begins for each observer anew.
  package static func cold(_ drawing: String, _ name: String) -> DiagramInput {
    DiagramInput(name, .cold, drawing)
  }

  /// An observer: `^` subscribes, `!` disposes.
  package static func observer(_ drawing: String, _ name: String = "observer") -> DiagramInput {
    DiagramInput(name, .observer, drawing)
  }

  /// The seconds of the marbles, as they are drawn first.
  package var seconds: [Int] { marbles.map { $0.tick / Marble.ticksPerSecond } }

  /// All seconds that the marbles can have: in the drawn order, one in each second at most.
  package var arrangements: [[Int]] { Self.increasing(marbles.count, below: slots) }

  /// The marbles at other seconds.
  package func marbles(at seconds: [Int]) -> [Marble] {
    zip(marbles, seconds).map { Marble($0.kind, at: $1 * Marble.ticksPerSecond) }
  }

  /// All increasing lists of `count` numbers below `limit`, in the order of a dictionary.
  static func increasing(_ count: Int, below limit: Int, from first: Int = 0) -> [[Int]] {
    if count == 0 { return [[]] }
    if first + count > limit { return [] }
    return (first...(limit - count)).flatMap { number in
      increasing(count - 1, below: limit, from: number + 1).map { [number] + $0 }
    }
  }
}
