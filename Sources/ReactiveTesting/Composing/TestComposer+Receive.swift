import Compose

extension TestComposer {
  /// Asserts the next step: `action`, and the state after it.
  ///
  /// ```swift
  /// test.receive(.loaded(["x"])) { $0.results = ["x"] }
  /// ```
  ///
  /// An action that is not Equatable is compared by its case and the parts of its payload.
  ///
  /// - Parameters:
  ///   - action: expected action.
  ///   - expect: changes the state before the action into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receive(
    _ action: C.Action, _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) { receive(group: [action], TestLocation(file: file, line: line), expect) }

  /// Asserts the next step: these actions as one group, and the state after it.
  ///
  /// ```swift
  /// test.receive(group: .loaded(["x"]), .sorted) { $0.results = ["x"] }
  /// ```
  ///
  /// - Parameters:
  ///   - actions: expected actions of the group, in order.
  ///   - expect: changes the state before the group into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receive(
    group actions: C.Action..., expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) { receive(group: actions, TestLocation(file: file, line: line), expect) }

  /// Asserts the next step: an action for which `isExpected` returns true, and the state after it.
  ///
  /// - Parameters:
  ///   - isExpected: returns true for the expected action.
  ///   - expect: changes the state before the action into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receive(
    where isExpected: (C.Action) -> Bool,
    expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("a matching action", TestLocation(file: file, line: line)) { step in
      step.actions.count == 1 && isExpected(step.actions[0]) ? () : nil
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
  ///   - makeAction: case of the action; the payload of a case with several values is their tuple.
  ///   - expect: receives the payload, and changes the state before the action into the expected
  ///     one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receive<Payload>(
    _ makeAction: (Payload) -> C.Action,
    _ expect: (Payload, inout C.State) -> Void = { _, _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("a case with \(Payload.self)", TestLocation(file: file, line: line)) {
      $0.actions.count == 1 ? payload(of: $0.actions[0], made: makeAction) : nil
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
  ///   - keyPath: property of the action that is nil for other actions.
  ///   - expect: receives the value, and changes the state before the action into the expected one;
  ///     no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receive<Value>(
    _ keyPath: KeyPath<C.Action, Value?>,
    _ expect: (Value, inout C.State) -> Void = { _, _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("an action with \(keyPath)", TestLocation(file: file, line: line)) {
      $0.actions.count == 1 ? $0.actions[0][keyPath: keyPath] : nil
    } _: {
      expect($0, &$1)
    }
  }

  /// Asserts the next step: the composer dismisses itself.
  ///
  /// It is tested without a parent, and its state does not change.
  ///
  /// - Parameters:
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receiveDismissal(file: StaticString = #filePath, line: UInt = #line) {
    receiveChange("dismiss", file: file, line: line)
  }

  /// Asserts the next step: a child dismisses itself, and the state after it.
  ///
  /// ```swift
  /// test.receiveDismissal(of: Editor.self) { $0.editor = nil }
  /// ```
  ///
  /// The dismissal of a child whose declaration has an `onDismiss` is received as that action:
  /// `test.receive(.closed(last)) { $0.editor = nil }`.
  ///
  /// - Parameters:
  ///   - child: type of the child.
  ///   - expect: changes the state before the step into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receiveDismissal<Embedded: Composer>(
    of child: Embedded.Type, _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) { receiveChange("dismiss \(child)", expect, file: file, line: line) }

  /// Asserts the next step: a shared part of the state, or of that of a child, has received the shared
  /// value, which another composer or other code has written.
  ///
  /// ```swift
  /// favorites.update(by: "sync") { $0 = [1] }
  /// test.receiveShared { $0.favorites = [1] }
  /// ```
  ///
  /// - Parameters:
  ///   - expect: changes the state before the step into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receiveShared(
    _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive("a shared value", TestLocation(file: file, line: line)) {
      $0.change?.hasPrefix("shared ") == true ? () : nil
    } _: { _, state in
      expect(&state)
    }
  }

  /// Asserts the next step: a change without an action, of this name, and the state after it.
  ///
  /// ```swift
  /// test.receiveChange("\\State.name") { $0.name = "Ada" }
  /// ```
  ///
  /// - Parameters:
  ///   - name: expected `ComposerStep.change`.
  ///   - expect: changes the state before the step into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func receiveChange(
    _ name: String, _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    receive(name, TestLocation(file: file, line: line)) {
      $0.change == name && $0.actions.isEmpty ? () : nil
    } _: { _, state in
      expect(&state)
    }
  }

  private func receive(
    group actions: [C.Action], _ location: TestLocation, _ expect: (inout C.State) -> Void
  ) {
    receive(named(actions), location) {
      !$0.actions.isEmpty && areEqual($0.actions, actions) ? () : nil
    } _: { _, state in
      expect(&state)
    }
  }

  private func receive<Match>(
    _ expected: @autoclosure () -> String, _ location: TestLocation,
    _ match: (ComposerStep<C.State, C.Action>) -> Match?, _ expect: (Match, inout C.State) -> Void
  ) {
    at(location) { location in
      time.settle()
      var skipped: [String] = []
      while let received = recorder.popFirstStep() {
        if let match = match(received.step) {
          return assert(received, received.name, location) {
            expect(match, &$0)
          }
        }
        skip(received)
        if exhaustivity == .on {
          let lines = ["expected  \(expected())", "got       \(received.description)"]
          return location.fail(listed("Another action was received:", lines))
        }
        skipped.append(received.description)
      }
      let lines = skipped.map { "skipped \($0)" } + hints
      location.fail(listed("\(expected()) was not received.", lines))
    }
  }

  /// The running effects, and the time of the next timer.
  private var hints: [String] {
    let due = time.nextDue.map {
      "The clock shows \(seconds(time.elapsed)), the next timer is due at \(seconds($0))."
    }
    return running.map(\.description) + (due.map { [$0] } ?? [])
  }
}

/// The payload of `action`; nil unless `make` is its case.
private func payload<Action, Payload>(of action: Action, made make: (Payload) -> Action)
  -> Payload?
{
  guard let found = Mirror(reflecting: action).children.first, let name = found.label else {
    return nil
  }
  // A payload of one labelled value is reflected as a tuple with one element.
  let parts = Mirror(reflecting: found.value)
  let isOne = parts.displayStyle == .tuple && parts.children.count == 1
  let part = isOne ? parts.children.first?.value : nil
  guard let payload = found.value as? Payload ?? part as? Payload else { return nil }
  guard let made = Mirror(reflecting: make(payload)).children.first, made.label == name,
    labels(of: made.value) == labels(of: found.value)
  else { return nil }
  return payload
}

/// The labels of a payload, which distinguish `named(text:)` from `named(title:)`.
private func labels(of payload: Any) -> [String?] {
  let mirror = Mirror(reflecting: payload)
  return mirror.displayStyle == .tuple ? mirror.children.map(\.label) : []
}
