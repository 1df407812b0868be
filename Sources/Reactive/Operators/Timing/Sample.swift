extension ObservableType {
  /// Emits the latest element each time `sampler` emits or completes.
  ///
  /// Nothing is emitted when no element arrived since the last time, unless there is a
  /// `defaultValue`. The result completes when `sampler` emits or completes after the completion of
  /// the source. With a `sampler` that has completed before the source, the result never completes,
  /// as in RxSwift. An error of either observable ends the result.
  ///
  ///             -a-b-----c----|
  ///     sampler ----t--t---t----t-
  ///     sample  ----b------c----|
  ///
  /// - Parameters:
  ///   - sampler: observable whose elements and completion trigger an emission
  ///   - defaultValue: element to emit when none arrived since the last time; nil by default
  public func sample<Source: ObservableType>(_ sampler: Source, defaultValue: Element? = nil)
    -> Observable<Element>
  {
    Observable { [run] down in
      let gate = SerialGate(down.lifetime)
      let latest = Ref<Element?>(nil)
      let hasCompleted = Ref(false)
      func emit() {
        if let element = latest.value ?? defaultValue {
          latest.value = nil
          down.next(element)
        }
        if hasCompleted.value, !down.lifetime.isDisposed { down.end(nil) }
      }
      let end = gate.guarded { (error: (any Error)?) in
        if error == nil { hasCompleted.value = true } else { down.end(error) }
      }
      down.lifetime.run(run, next: gate.guarded { latest.value = $0 }, end: end)
      if down.lifetime.isDisposed { return }
      sampler.run(
        Lifetime(parent: down.lifetime).observer(
          next: gate.guarded { _ in emit() },
          end: gate.guarded { if $0 == nil { emit() } else { down.end($0) } }))
    }
  }
}
