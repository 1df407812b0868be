import Compose
import Dispatch

extension TestComposer {
  /// Lets time pass and asserts which actions are received when, as a diagram.
  ///
  /// ```swift
  /// test.expect("-a-(ab)-|", ["a": .tick, "b": .loaded([])]) { $0.ticks = 2 }
  /// ```
  ///
  /// One character is one second, and the first one is now:
  ///
  /// - `-`: nothing
  /// - `(ab)` or `[ab]`: what is received in the same second, as a group or one after the other
  /// - `|`: no effect runs any more; without it that does not matter
  /// - any other character: the action that `actions` has for it
  ///
  /// What is received between two characters is drawn at the later one. On failure both drawings are
  /// shown, with a `?` for an action that has no character.
  ///
  /// - Parameters:
  ///   - actions: what the characters stand for.
  ///   - period: what one character stands for; one second by default.
  ///   - expect: changes the state before the diagram into the one expected after it; nothing by default.
  public func expect(
    _ diagram: String, _ actions: [Character: C.Action], every period: RxTimeInterval = .seconds(1),
    _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    at(Place(file: file, line: line)) { place in
      let expected = ActionDrawing(diagram)
      var unknown: [String] = []
      let symbols = actions.sorted { $0.key < $1.key }
      func character(for action: C.Action) -> Character? {
        if let known = symbols.first(where: { areEqual(action, $0.value) }) { return known.key }
        if exhaustivity == .off { return nil }
        unknown.append("? is \(described(action))")
        return "?"
      }
      var got = ActionDrawing()
      var last: ReceivedStep<C.State, C.Action>?
      for tick in expected.ticks.indices {
        time.advance(by: tick == 0 ? .seconds(0) : period)
        let steps = recorder.popAll()
        last = steps.last ?? last
        got.add(steps.flatMap(\.step.actions).compactMap(character), !recorder.unfinished.isEmpty)
      }
      if expected.end == nil { got.end = nil }
      for character in Set(expected.ticks.joined()).subtracting(actions.keys).sorted() {
        unknown.append("\(character) stands for no action")
      }
      if got != expected || !unknown.isEmpty {
        let lines = ["expected  \(expected)", "got       \(got)"] + unknown
        place.fail(listed("The actions are not as drawn:", lines))
      }
      if let last { assert(last, "\(expected)", place, expect) }
    }
  }
}

/// Which characters come at which tick, and from which tick on nothing runs.
private struct ActionDrawing: Equatable, CustomStringConvertible {
  private(set) var ticks: [[Character]] = []
  var end: Int?

  init() {}

  init(_ diagram: String) {
    var isGrouped = false
    var tick: [Character] = []
    for character in diagram {
      switch character {
      case "[", "(": isGrouped = true
      case "]", ")": isGrouped = false
      case "-": break
      case "|": end = ticks.count
      default: tick.append(character)
      }
      if isGrouped { continue }
      ticks.append(tick)
      tick = []
    }
  }

  mutating func add(_ tick: [Character], _ isRunning: Bool) {
    end = isRunning ? nil : end ?? ticks.count
    ticks.append(tick)
  }

  var description: String {
    ticks.enumerated().map { index, tick in
      let all = tick + (index == end ? ["|"] : [])
      return all.count == 1 ? String(all) : all.isEmpty ? "-" : "(\(String(all)))"
    }.joined()
  }
}
