/// Where the state of a child is in the state of its parent.
@usableFromInline struct StatePart<State, Part>: Sendable {
  /// Returns the part; nil when it is absent.
  @usableFromInline let read: @Sendable (State) -> Part?
  /// Calls the closure with the part; returns false, without a call, when it is absent.
  ///
  /// The closure receives the only reference to the part, so that changing it does not copy, unless
  /// the part is in the case of an enum.
  @usableFromInline let modify: @Sendable (inout State, (inout Part) -> Void) -> Bool
  /// Makes the part absent; nil for a part that is always there.
  @usableFromInline let remove: (@Sendable (inout State) -> Void)?

  @inlinable init(
    read: @escaping @Sendable (State) -> Part?,
    modify: @escaping @Sendable (inout State, (inout Part) -> Void) -> Bool,
    remove: (@Sendable (inout State) -> Void)?
  ) {
    (self.read, self.modify, self.remove) = (read, modify, remove)
  }

  /// A part that is always there.
  @inlinable init(_ path: any WritableKeyPath<State, Part> & Sendable) {
    self.init(
      read: { $0[keyPath: path] },
      modify: { state, body in
        body(&state[keyPath: path])
        return true
      }, remove: nil)
  }

  /// A part that may be nil.
  @inlinable init(_ path: any WritableKeyPath<State, Part?> & Sendable) {
    self.init(
      read: { $0[keyPath: path] },
      modify: { state, body in modifyPresent(&state[keyPath: path], body) },
      remove: { $0[keyPath: path] = nil })
  }

  /// The part in one case of an enum that may be nil.
  @inlinable init<Cases>(
    _ path: any WritableKeyPath<State, Cases?> & Sendable,
    case embed: @escaping @Sendable (Part) -> Cases,
    _ extract: @escaping @Sendable (Cases) -> Part?
  ) {
    self.init(
      read: { $0[keyPath: path].flatMap(extract) },
      modify: { state, body in
        guard var part = state[keyPath: path].flatMap(extract) else { return false }
        body(&part)
        state[keyPath: path] = embed(part)
        return true
      },
      remove: { $0[keyPath: path] = nil })
  }

  /// The part in one case of an enum.
  @inlinable init(
    case embed: @escaping @Sendable (Part) -> State, _ extract: @escaping @Sendable (State) -> Part?
  ) {
    self.init(
      read: extract,
      modify: { state, body in
        guard var part = extract(state) else { return false }
        body(&part)
        state = embed(part)
        return true
      }, remove: nil)
  }
}

/// Calls `body` with the value, of which it is the only owner; returns false for nil.
@inlinable func modifyPresent<Value>(_ value: inout Value?, _ body: (inout Value) -> Void) -> Bool {
  guard var present = value.take() else { return false }
  body(&present)
  value = present
  return true
}
