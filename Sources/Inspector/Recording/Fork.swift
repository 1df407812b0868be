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
  private let make: @Sendable (State, SharedValueCopies) -> Composed<State, Action>
  /// The shared values of the composer that is forked, when it is a fork itself.
  private var copies: SharedValueCopies?

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
    self.make = { state, copies in
      Composed(sending: composer(with: state)) {
        change(&$0)
        $0[SharedValueCopies.self] = copies
      }
    }
  }

  /// Returns a composer that goes on from a state, and what makes forks of it.
  func fork(_ state: State) -> (composed: Composed<State, Action>, maker: ForkMaker) {
    var maker = self
    let copies = SharedValueCopies(of: copies)
    maker.copies = copies
    return (make(state, copies), maker)
  }
}
