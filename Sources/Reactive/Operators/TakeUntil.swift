extension ObservableType {
  /// Emits until `other` emits its first element, then completes and disposes of both.
  ///
  /// An error of either is the end; a completion of `other` means the source runs on.
  ///
  ///                   -a--b--c--d-|
  ///     other         --------x
  ///     take(until:)  -a--b--(|)
  @inlinable
  public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    Observable { [run] down in
      let gate = Gate(down.lifetime)
      let end = gate.guarded(down.end)
      down.lifetime.withChild { child in
        other.run(
          Observer(
            child,
            next: { _ in end(nil) },
            end: { error in
              child.dispose()
              if let error { end(error) }
            }
          )
        )
      }
      if down.lifetime.isDisposed { return }
      run(Observer(down.lifetime, next: gate.guarded(down.next), end: end))
    }
  }
}
