extension ObservableType {
  /// Emits until `other` emits its first element, then completes and disposes of both.
  ///
  /// An error of either is the end; a completion of `other` means the source runs on.
  ///
  ///                   -a--b--c--d-|
  ///     other         --------x
  ///     take(until:)  -a--b--(|)
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    Observable { [run] down in
      let gate = Gate(down.lifetime)
      let end = gate.guarded(down.end)
      down.lifetime.run(
        other.run, next: { _ in end(nil) }, end: { if let error = $0 { end(error) } })
      if down.lifetime.isDisposed { return }
      down.lifetime.run(run, next: gate.guarded(down.next), end: end)
    }
  }
}
