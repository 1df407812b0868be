import Compose

extension TestComposer {
  /// Asserts the next step: `action`, and the state after it.
  ///
  /// ```swift
  /// test.receive(.loaded(["x"])) { $0.results = ["x"] }
  /// ```
  ///
  /// The action need not be Equatable: without that its case and its payload's parts are compared.
  ///
  /// - Parameter expect: changes the state before the action into the expected one; nothing by default.
  public func receive(
    _ action: C.Action, _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) { receive(group: [action], Place(file: file, line: line), expect) }

  /// Asserts the next step: these actions as one group, and the state after it.
  ///
  /// ```swift
  /// test.receive(group: .loaded(["x"]), .sorted) { $0.results = ["x"] }
  /// ```
  ///
  /// - Parameter expect: changes the state before the group into the expected one; nothing by default.
  public func receive(
    group actions: C.Action..., expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) { receive(group: actions, Place(file: file, line: line), expect) }

  /// Asserts the next step: an action that `isExpected`, and the state after it.
  ///
  /// - Parameter expect: changes the state before the action into the expected one; nothing by default.
  public func receive(
    where isExpected: (C.Action) -> Bool,
    expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("an action that fits", Place(file: file, line: line)) { actions in
      actions.count == 1 && isExpected(actions[0]) ? () : nil
    } _: { _, state in
      expect(&state)
    }
  }

  /// Asserts the next step: an action of a case with a payload, and the state after it.
  ///
  /// ```swift
  /// test.receive(Search.Action.loaded) { results, state in state.results = results }
  /// ```
  ///
  /// - Parameters:
  ///   - makeAction: the case; of several values, the payload is their tuple.
  ///   - expect: is given the payload, and changes the state before the action into the expected one;
  ///     nothing by default.
  public func receive<Payload>(
    _ makeAction: (Payload) -> C.Action,
    _ expect: (Payload, inout C.State) -> Void = { _, _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("a case with \(Payload.self)", Place(file: file, line: line)) {
      $0.count == 1 ? payload(of: $0[0], made: makeAction) : nil
    } _: {
      expect($0, &$1)
    }
  }

  /// Asserts the next step: an action that has a value at `keyPath`, and the state after it.
  ///
  /// ```swift
  /// test.receive(\.loaded) { results, state in state.results = results }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: a property of the action that is nil for other actions.
  ///   - expect: is given the value, and changes the state before the action into the expected one;
  ///     nothing by default.
  public func receive<Value>(
    _ keyPath: KeyPath<C.Action, Value?>,
    _ expect: (Value, inout C.State) -> Void = { _, _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("an action with \(keyPath)", Place(file: file, line: line)) {
      $0.count == 1 ? $0[0][keyPath: keyPath] : nil
    } _: {
      expect($0, &$1)
    }
  }

  private func receive(
    group actions: [C.Action], _ place: Place, _ expect: (inout C.State) -> Void
  ) {
    receive(named(actions), place) {
      areEqual($0, actions) ? () : nil
    } _: { _, state in
      expect(&state)
    }
  }

  private func receive<Match>(
    _ expected: @autoclosure () -> String, _ place: Place,
    _ match: ([C.Action]) -> Match?, _ expect: (Match, inout C.State) -> Void
  ) {
    at(place) { place in
      time.settle()
      var skipped: [String] = []
      while let received = recorder.popFirst() {
        if let match = match(received.step.actions) {
          return assert(received, named(received.step.actions), place) {
            expect(match, &$0)
          }
        }
        skip(received)
        if exhaustivity == .on {
          let lines = ["expected  \(expected())", "got       \(received.description)"]
          return place.fail(listed("Another action was received:", lines))
        }
        skipped.append(received.description)
      }
      place.fail(listed("\(expected()) was not received.", skipped.map { "skipped \($0)" } + hints))
    }
  }

  /// What runs, and how far the clock must move for more.
  private var hints: [String] {
    let due = time.nextDue.map {
      "The clock shows \(seconds(time.elapsed)), the next timer is due at \(seconds($0))."
    }
    return running.map(\.description) + (due.map { [$0] } ?? [])
  }
}

/// The payload of `action`, when `make` is its case.
private func payload<Action, Payload>(of action: Action, made make: (Payload) -> Action)
  -> Payload?
{
  guard let found = Mirror(reflecting: action).children.first, let name = found.label else {
    return nil
  }
  // A payload of one value with a name is a tuple of one.
  let parts = Mirror(reflecting: found.value)
  let isOne = parts.displayStyle == .tuple && parts.children.count == 1
  let part = isOne ? parts.children.first?.value : nil
  guard let payload = found.value as? Payload ?? part as? Payload else { return nil }
  return Mirror(reflecting: make(payload)).children.first?.label == name ? payload : nil
}
