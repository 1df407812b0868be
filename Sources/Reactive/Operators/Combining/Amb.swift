extension ObservableType {
  /// Mirrors the observable of `sequence` that emits or ends first, and disposes of the others.
  ///
  ///         ---a--b-|
  ///         --1--2----|
  ///     amb --1--2----|
  public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Observable { down in
      let gate = SerialGate(down.lifetime)
      let candidates = sequence.map { ($0, down.lifetime.child()) }
      let winner = Ref<Lifetime?>(nil)
      for (source, candidate) in candidates where !candidate.isDisposed {
        // Called inside the gate only.
        let wins = {
          if winner.value == nil {
            winner.value = candidate
            for (_, other) in candidates where other !== candidate { other.dispose() }
          }
          return winner.value === candidate
        }
        let next = gate.guarded { if wins() { down.next($0) } }
        source.start(
          candidate.observer(next: next, end: gate.guarded { if wins() { down.end($0) } }))
      }
    }
  }

  /// Mirrors the source or `right`, whichever emits or ends first, and disposes of the other.
  public func amb<Source: ObservableType>(_ right: Source) -> Observable<Element>
  where Source.Element == Element { .amb([asObservable(), right.asObservable()]) }
}
