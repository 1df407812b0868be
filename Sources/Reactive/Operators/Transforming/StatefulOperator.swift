extension ObservableType {
  /// Returns an operator that calls `step` with each element and a state of the subscription.
  ///
  /// An error that `step` throws ends the result. The closure costs a call for each element, so the
  /// most frequent operators are written without it.
  @inlinable @inline(__always) func stateful<State, Result>(
    from state: State,
    _ step: @escaping (_ down: Observer<Result>, Ref<State>, Element) throws -> Void
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      let state = Ref(state)
      run(down.with { element in down.attempt { try step(down, state, element) } })
    }
  }

  /// Returns an operator like `stateful(from:_:)` that calls `complete` instead of completing.
  @inlinable @inline(__always) func stateful<State, Result>(
    from state: State,
    _ step: @escaping (_ down: Observer<Result>, Ref<State>, Element) throws -> Void,
    complete: @escaping (_ down: Observer<Result>, State) throws -> Void
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      let state = Ref(state)
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
