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
  /// both diagrams, with a `?` for an action without a character. A group without an end, or inside
  /// another group, fails the test with its position, before any time passes.
  ///
  /// A step without an action, such as a dismissal, cannot be drawn, and fails the test. Draw up to it,
  /// and receive it: `test.receiveDismissal()`.
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
      if let fault = expected.fault { return location.fail(fault) }
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
        if exhaustivity == .off { continue }
        unknown += steps.filter(\.step.actions.isEmpty).map { "not drawn: \($0.description)" }
      }
      if expected.end == nil { got.end = nil }
      for character in Set(expected.ticks.joined()).subtracting(actions.keys).sorted() {
        unknown.append("\(character) stands for no action")
      }
      if got != expected || !unknown.isEmpty {
        let lines = ["expected  \(expected)", "got       \(got)"] + unknown
        location.fail(listed("The actions are not as drawn:", lines))
      }
      if let last { return assert(last, "\(expected)", location, expect) }
      assertUnchangedState(after: "\(expected)", location, expect)
    }
  }

  /// Fails the test if `expect` changes the state, which no step has changed.
  private func assertUnchangedState(
    after name: String, _ location: TestLocation, _ expect: (inout C.State) -> Void
  ) {
    var expected = asserted
    expect(&expected)
    let lines =
      areEqual(asserted, expected) ? [] : differences(between: asserted, and: expected)
    if lines.isEmpty { return }
    location.fail(
      listed("No step was received in \(name), and the state is not the expected one:", lines))
  }
}

/// The characters of each tick, and the tick from which on no effect runs.
private struct ActionDrawing: Equatable, CustomStringConvertible {
  private(set) var ticks: [[Character]] = []
  var end: Int?
  /// The description of a syntax error; nil for a valid diagram.
  private(set) var fault: String?

  init() {}

  init(_ diagram: String) {
    var group: (begin: Int, close: Character)?
    var tick: [Character] = []
    func reportFault(at position: Int, _ reason: String) {
      fault = fault ?? "The diagram \"\(diagram)\" at character \(position + 1): \(reason)"
    }
    for (position, character) in diagram.enumerated() {
      switch character {
      case "[", "(":
        if group != nil { reportFault(at: position, "a group within a group.") }
        group = (position, character == "[" ? "]" : ")")
      case "]", ")":
        if group?.close != character { reportFault(at: position, "no group ends like this here.") }
        group = nil
      case "-": break
      case "|": end = ticks.count
      default: tick.append(character)
      }
      if group != nil { continue }
      ticks.append(tick)
      tick = []
    }
    if let group { reportFault(at: group.begin, "a group without an end.") }
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
