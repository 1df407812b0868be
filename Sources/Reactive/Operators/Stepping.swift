extension ObservableType {
  /// An operator that takes `step` with each element and a state, which each subscription has of its
  /// own; an error that it throws is the end.
  ///
  /// It costs a call for each element: operators that everybody uses are written out instead.
  @inlinable @inline(__always) func stepping<State, Result>(
    from state: State,
    _ step: @escaping (_ down: Observer<Result>, Cell<State>, Element) throws -> Void
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      let state = Cell(state)
      run(down.with { element in down.attempt { try step(down, state, element) } })
    }
  }

  /// The same, which calls `complete` instead of completing.
  @inlinable @inline(__always) func stepping<State, Result>(
    from state: State,
    _ step: @escaping (_ down: Observer<Result>, Cell<State>, Element) throws -> Void,
    complete: @escaping (_ down: Observer<Result>, State) throws -> Void
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      let state = Cell(state)
      down.lifetime.run(
        run,
        receiving: { source in
          { element in
            if source.isClosed { return }
            down.attempt { try step(down, state, element) }
          }
        },
        end: { error in
          if let error { return down.end(error) }
          down.attempt { try complete(down, state.value) }
        })
    }
  }
}
