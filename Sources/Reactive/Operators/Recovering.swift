extension ObservableType {
  /// Continues with the observable that `handler` makes of an error.
  ///
  /// The failed source is disposed of after the subscription to that observable, so a connection
  /// that both share stays open. An error that `handler` throws ends the result.
  ///
  ///     source  -a--b--x
  ///     handler         --1--2-|
  ///     catch   -a--b----1--2-|
  @preconcurrency @inlinable public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> { catching(handler) }

  @usableFromInline func catching(_ handler: @escaping (any Error) throws -> Observable<Element>)
    -> Observable<Element>
  {
    let source = asObservable()
    return Observable { down in
      let attempt = down.lifetime.child()
      let end = { (error: (any Error)?) in
        guard attempt.close() else { return }
        if let error { down.runResult { try handler(error) } } else { down.end(nil) }
        attempt.release()
      }
      source.start(
        Observer(attempt, next: { if !attempt.isClosed { down.next($0) } }, end: end))
    }
  }

  /// Runs the first observable of `sequence`, and after each error the next one.
  ///
  /// Ends with the first observable that completes, or with the error of the last one. A failed
  /// observable is disposed of before the next one is subscribed to.
  @inlinable public static func `catch`<Sources: Sequence>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Observable { down in
      let rest = Cell(sequence.makeIterator())
      let chain = Chain(down, continues: { $0 != nil }) { error in
        if let next = rest.value.next() { .run(next) } else { .end(error) }
      }
      if let first = rest.value.next() { chain.run(first) } else { down.end(nil) }
    }
  }

  /// Emits `element` and completes instead of failing.
  @inlinable public func catchAndReturn(_ element: Element) -> Observable<Element> {
    catching { _ in .just(element) }
  }

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
      down.lifetime.add(triggers.subscribe(notifier))
      let isTriggered = Cell(false)
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
          errors.onNext(failure)
        }
        source.start(running.observer(next: attempt.next, end: end))
      }
      let chain = Chain(down, continues: { _ in isTriggered.value }) { _ in
        isTriggered.value = false
        return .run(attempt)
      }
      chain.run(attempt)
    }
  }
}
