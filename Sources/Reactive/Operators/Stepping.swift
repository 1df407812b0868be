extension ObservableType {
  /// An operator that takes `step` with each element and a state, which each subscription has of its
  /// own, and calls `complete` instead of completing; an error thrown by either is the end.
  ///
  /// It costs a call for each element: operators that everybody uses are written out instead.
  @inlinable @inline(__always) func stepping<State, Result>(
    from state: State,
    _ step: @escaping (_ down: Observer<Result>, Cell<State>, Element) throws -> Void,
    complete: @escaping (_ down: Observer<Result>, State) throws -> Void = { down, _ in
      down.end(nil)
    }
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      let state = Cell(state)
      down.lifetime.run(
        run, next: { element in down.attempt { try step(down, state, element) } },
        end: { error in
          if let error { return down.end(error) }
          down.attempt { try complete(down, state.value) }
        })
    }
  }
}
