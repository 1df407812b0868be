import Compose

extension TestComposer {
  /// Advances the time, and asserts which actions are received at which time, as a diagram.
  ///
  /// ```swift
  /// test.expect("-a-(ab)-|", ["a": .tick, "b": .loaded([])]) { $0.ticks = 2 }
  /// ```
  ///
  /// Each character, or bracketed group, is one second; the first one is the current time:
  ///
  /// - `-`: no action
  /// - `(ab)` or `[ab]`, which mean the same: several actions in that second, in one step or several
  /// - `|`: from here on no effect runs, except state effects; without it, effects may run
  /// - any other character: the action that `actions` has for this character
  ///
  /// An action that is received between two characters is drawn at the later one. A failure shows
  /// both diagrams, with a `?` for an action without a character.
  ///
  /// - Parameters:
  ///   - diagram: expected actions.
  ///   - actions: action of each character.
  ///   - period: time of one character; one second by default.
  ///   - expect: changes the state before the diagram into the expected one after it; no change by
  ///     default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func expect(
    _ diagram: String, _ actions: [Character: C.Action], every period: Duration = .seconds(1),
    _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    at(TestLocation(file: file, line: line)) { location in
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
        time.advance(by: tick == 0 ? .zero : period)
        let steps = recorder.popAllSteps()
        last = steps.last ?? last
        got.add(steps.flatMap(\.step.actions).compactMap(character), !recorder.unfinished.isEmpty)
      }
      if expected.end == nil { got.end = nil }
      for character in Set(expected.ticks.joined()).subtracting(actions.keys).sorted() {
        unknown.append("\(character) stands for no action")
      }
      if got != expected || !unknown.isEmpty {
        let lines = ["expected  \(expected)", "got       \(got)"] + unknown
        location.fail(listed("The actions are not as drawn:", lines))
      }
      if let last { assert(last, "\(expected)", location, expect) }
    }
  }
}

/// The characters of each tick, and the tick from which on no effect runs.
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
