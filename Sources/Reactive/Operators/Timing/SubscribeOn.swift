extension ObservableType {
  /// Subscribes to the source, and disposes of it, on `scheduler`.
  ///
  /// This sets the scheduler on which the source begins its work, not the one on which it delivers;
  /// see `observe(on:)`. When the source ends, the thread that delivers its end releases it, as in
  /// RxSwift.
  ///
  /// As in RxSwift, the disposal waits for its turn on `scheduler`: on a serial queue, a source that
  /// emits without end at once, such as `repeatElement`, occupies the queue for good. End it before
  /// this operator, with `take` or `take(until:)`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let observable = asObservable()
    return Observable { down in
      let start = scheduler.schedule(()) {
        // `next` checks the subscription's lifetime: `source` is disposed of later, on the
        // scheduler.
        let source = down.lifetime.detached(goingOnBy: scheduler)
        let end = { (error: (any Error)?) in
          // As in RxSwift, the result of an operator releases its resources when it ends.
          if observable.kind == .direct { return down.end(error) }
          guard source.close() else { return }
          down.end(error)
          source.release()
        }
        observable.start(
          Observer(source, next: { if !down.lifetime.isDisposed { down.next($0) } }, end: end))
        return Disposables.create {
          _ = scheduler.schedule(()) {
            source.dispose()
            return Disposables.create()
          }
        }
      }
      down.lifetime.add(start)
    }
  }
}
