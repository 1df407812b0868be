/// A composer that a client has created from the state of another one.
struct Fork: Sendable {
  /// Keeps the composer alive.
  let composed: any Sendable
  /// Gives the reducer what that of the other composer has drawn.
  let subscription: any Disposable & Sendable
  /// Returns the record of the composer.
  let record: @Sendable (InspectedProgram) -> ComposerRecord?

  func record(in program: InspectedProgram) -> ComposerRecord? { record(program) }
}

/// Creates forks of composers with these types.
struct ForkMaker<State: Sendable, Action: Sendable>: Sendable {
  let fork: @Sendable (State) -> Composed<State, Action>

  /// - Parameters:
  ///   - make: returns a new composer, which is not bound.
  ///   - change: injects dependencies into it.
  init<C: Composer & SendableMetatype>(
    _ make: @escaping @Sendable () -> sending C,
    _ change: @escaping @Sendable (inout Dependencies) -> Void
  ) where C.State == State, C.Action == Action {
    @Sendable func composer(with state: State) -> sending C {
      let composer = make()
      composer.state = state
      return composer
    }
    fork = { state in
      Composed(sending: composer(with: state)) {
        change(&$0)
        $0[SharedValueCopies.self] = SharedValueCopies()
      }
    }
  }
}
