/// An event at a time of a diagram.
package struct Marble: Hashable, Sendable {
  /// What happens.
  package enum Kind: Hashable, Sendable {
    /// An element, with its text.
    case element(String)
    case completed
    case failed
    /// An observer subscribes.
    case subscribed
    /// An observer disposes of its subscription.
    case disposed
  }

  /// The ticks of a second.
  ///
  /// Drawn events have whole seconds; operators also answer between them.
  package static let ticksPerSecond = 2

  /// The time since the left end of the diagram, in ticks.
  package var tick: Int
  package var kind: Kind

  package init(_ kind: Kind, at tick: Int) {
    self.tick = tick
    self.kind = kind
  }

  /// Whether this is a completion or an error.
  package var isEnd: Bool { kind == .completed || kind == .failed }

  /// The time in seconds, as text: "2" or "2.5".
  package var seconds: String {
    let whole = tick / Self.ticksPerSecond
    return tick % Self.ticksPerSecond == 0 ? "\(whole)" : "\(whole).5"
  }

  /// The event in words: "a at 2 s", "completes at 2.5 s".
  package var sentence: String {
    switch kind {
    case .element(let text): "\(text) at \(seconds) s"
    case .completed: "completes at \(seconds) s"
    case .failed: "fails at \(seconds) s"
    case .subscribed: "subscribes at \(seconds) s"
    case .disposed: "disposes at \(seconds) s"
    }
  }
}

extension [Marble] {
  /// The marbles of a drawing in which each character is one second.
  ///
  /// `-` is no event, `|` the completion, `x` an error, `^` a subscription, `!` its disposal, and any
  /// other character an element.
  package init(drawing: String) {
    self = drawing.enumerated().compactMap { second, character in
      let kind: Marble.Kind
      switch character {
      case "-": return nil
      case "|": kind = .completed
      case "x": kind = .failed
      case "^": kind = .subscribed
      case "!": kind = .disposed
      default: kind = .element(String(character))
      }
      return Marble(kind, at: second * Marble.ticksPerSecond)
    }
  }

  /// The events in words.
  package var sentence: String {
    isEmpty ? "nothing" : map(\.sentence).joined(separator: ", ")
  }
}
