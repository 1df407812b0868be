extension ObservableType {
  /// Subscribes again after each error, without a limit.
  @inlinable public func retry() -> Observable<Element> {
    .catch(sequence: sequence(first: asObservable()) { $0 })
  }

  /// Subscribes at most `maxAttemptCount` times in total; the last error passes.
  ///
  /// `retry(1)` does not try again. `retry(0)` completes without a subscription, as in RxSwift.
  @inlinable public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    precondition(maxAttemptCount >= 0, "retry: the number of attempts cannot be negative.")
    return .catch(sequence: Swift.repeatElement(asObservable(), count: maxAttemptCount))
  }
}

// MARK: - Retrying after a delay

extension ObservableType {
  /// Subscribes again after each error, when the delay of `backoff` has passed.
  ///
  /// The last error passes after the last attempt, and an error that is not transient passes at
  /// once. Subscribes again on `scheduler`. The attempts of each observer are counted from its
  /// subscription, and elements do not start the count anew.
  ///
  ///     source          -a-x  -b-|
  ///     retry(.fixed(2)) -a----b-|
  ///
  /// - Parameters:
  ///   - backoff: number of attempts after the first one, and the delays before them.
  ///   - scheduler: clock of the delays.
  ///   - isTransient: returns whether an error is worth another attempt; all are by default.
  ///   - random: returns numbers from 0 up to, not including, 1 for the jitter; the system's by
  ///     default.
  @preconcurrency public func retry(
    _ backoff: Backoff, scheduler: any SchedulerType,
    if isTransient: @escaping @Sendable (any Error) -> Bool = { _ in true },
    random: @escaping @Sendable () -> Double = { HostRandomNumberGenerator.unit() }
  ) -> Observable<Element> {
    retrying(when: { (errors: Observable<any Error>) in
      errors.enumerated().flatMap { attempt, error -> Observable<Int> in
        guard isTransient(error), let delay = backoff.delay(before: attempt, random: random())
        else { return .error(error) }
        return .timer(RxTimeInterval(delay), scheduler: scheduler)
      }
    })
  }
}

// MARK: - Retrying on a trigger

extension ObservableType {
  /// Subscribes again after an error each time that `notificationHandler`'s observable emits.
  ///
  /// The handler is called once for each subscription, with an observable of the source's errors.
  /// The end of the observable that the handler returns ends the result in the same way: at once
  /// while an error waits for a trigger, otherwise at the next error. An error of another type than
  /// `Error` passes.
  ///
  ///     source       -a-x   -a-x
  ///     notifier        --t    --|
  ///     retry(when:) -a-----a----|
  @preconcurrency public func retry<Trigger: ObservableType, Error: Swift.Error>(
    when notificationHandler: @escaping @Sendable (Observable<Error>) -> Trigger
  ) -> Observable<Element> { retrying(when: notificationHandler) }

  /// Subscribes again after an error each time that `notificationHandler`'s observable emits.
  @preconcurrency public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
  ) -> Observable<Element> { retrying(when: notificationHandler) }

  func retrying<Trigger: ObservableType, Error: Swift.Error>(
    when notificationHandler: @escaping (Observable<Error>) -> Trigger
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { down in
      let errors = PublishSubject<Error>()
      let notifier = PublishSubject<Trigger.Element>()
      let triggers = notificationHandler(errors)
      // The handler may have ended the subscription.
      if down.lifetime.isDisposed { return }
      // The subjects are sent to through their hubs: an attempt that fails at once sends nested, and
      // debug builds would report that.
      let receiver = AnyObserver<Trigger.Element>(
        next: { notifier.hub.next($0) }, end: { notifier.hub.end($0) })
      down.lifetime.add(triggers.subscribe(receiver))
      let isTriggered = Ref(false)
      // A trigger that arrives while the source is being subscribed to takes effect after that.
      let attempt = Observable<Element>(.direct) { attempt in
        let running = attempt.lifetime.child()
        let end = { (error: (any Swift.Error)?) in
          guard let failure = error.flatMap({ $0 as? Error }) else { return attempt.end(error) }
          notifier.run(
            attempt.with { _ in
              isTriggered.value = true
              attempt.end(nil)
            })
          errors.hub.next(failure)
        }
        source.start(running.observer(next: attempt.next, end: end))
      }
      let runner = SequentialRunner(down, continues: { _ in isTriggered.value }) { _ in
        isTriggered.value = false
        return .run(attempt)
      }
      runner.run(attempt)
    }
  }
}
