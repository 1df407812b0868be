extension ObservableType {
  /// Emits the result of `resultSelector` for each element and the latest element of `second`.
  ///
  /// Elements that arrive before `second` has emitted are dropped. Ends with the source, with an
  /// error of either observable, or with an error that `resultSelector` throws. After a completion
  /// of `second`, its latest element remains in use.
  @preconcurrency @inlinable public func withLatestFrom<Source: ObservableConvertibleType, Result>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      let gate = SerialGate(down.lifetime)
      let latest = Ref<Source.Element?>(nil)
      let end = gate.guarded(down.end)
      second.asObservable().run(
        Lifetime(parent: down.lifetime).observer(
          next: gate.guarded { latest.value = $0 }, end: { if let error = $0 { end(error) } }))
      if down.lifetime.isDisposed { return }
      let next = gate.guarded { (element: Element) in
        down.attempt {
          if let latest = latest.value { down.next(try resultSelector(element, latest)) }
        }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }

  /// Emits the latest element of `second` each time the source emits.
  @inlinable public func withLatestFrom<Source: ObservableConvertibleType>(_ second: Source)
    -> Observable<Source.Element>
  { withLatestFrom(second) { $1 } }
}
