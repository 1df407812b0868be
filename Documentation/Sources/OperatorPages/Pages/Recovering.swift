import Reactive

extension OperatorPage {
  static let recovering = [
    catchError, catchSequence, catchAndReturn, retry, retryCount, retryBackoff, retryWhen,
  ]

  /// A source that fails, and what follows.
  private static func failing(then name: String) -> [DiagramInput] {
    [.hot("-a--b-x-"), .cold("-1-2-|", "\(name), from its subscription")]
  }

  private static let catchError = OperatorPage(
    "catch", ["catch(_:)"],
    "Continues with the observable that a closure makes of an error.",
    ends: "When the source completes, or the observable of the closure.",
    fails: "When that observable fails, or the closure throws.",
    threads:
      """
      Delivers as the source does, and then as the next observable, which begins on the thread \
      of the error.
      """,
    memory: "Holds one subscription.",
    related: ["catchAndReturn", "retry()", "catch(sequence:)", "materialize"],
    words: ["catchError", "onErrorResumeNext"],
    diagram: Diagram("catch { _ in other }", failing(then: "other"), extra: 5) { stage in
      stage.record(stage[0].catch { _ in stage[1] })
    }
  ) { _, bag in
    let request = Observable<String>.error(RxError.timeout)
    request
      .catch { error in .just("offline: \(error)") }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let catchSequence = OperatorPage(
    "catch(sequence:)", ["catch(sequence:)"],
    "Runs the first observable of a sequence, and after each error the next one.",
    ends: "With the first observable that completes; at once for an empty sequence.",
    fails: "With the error of the last observable.",
    threads:
      "Delivers as the current observable does. The next one begins on the thread of the error.",
    memory: "Holds the rest of the sequence.",
    related: ["catch", "retry()", "concat"],
    diagram: Diagram(
      "catch(sequence: [a, b])",
      [.hot("-1--2-x-", "a"), .cold("-a-b-|", "b, from its subscription")],
      extra: 5
    ) { stage in
      stage.record(Observable.catch(sequence: [stage[0], stage[1]]))
    }
  ) { _, bag in
    let mirrors = [Observable<String>.error(RxError.timeout), .just("from mirror 2")]
    Observable.catch(sequence: mirrors).subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let catchAndReturn = OperatorPage(
    "catchAndReturn", ["catchAndReturn(_:)"],
    "Emits an element and completes instead of failing.",
    ends: "When the source completes or fails.",
    fails: .cannotFail,
    threads: .onSource,
    memory: "Holds the element.",
    related: ["catch", "ifEmpty(default:)", "asDriver"],
    words: ["replaceError", "onErrorReturn"],
    diagram: Diagram("catchAndReturn(z)", [.hot("-a--b--x-")]) { stage in
      stage.record(stage[0].catchAndReturn("z"))
    }
  ) { _, bag in
    Single<Int>.error(RxError.timeout)
      .catchAndReturn(0)
      .subscribe(onSuccess: { print($0) })
      .disposed(by: bag)
  }

  /// A source that fails in its first two attempts, and completes in the third one.
  private static func flaky(_ stage: DiagramStage) -> Observable<String> {
    let attempts = BehaviorRelay(value: 0)
    return .deferred {
      attempts.accept(attempts.value + 1)
      let attempt = attempts.value
      let succeeds = stage[0].filter { $0 != "E" }
      let fails = stage[0].map { if $0 == "E" { throw RxError.unknown } else { $0 } }
      return (attempt < 3 ? fails : succeeds).map { "\($0)\(attempt)" }
    }
  }

  /// One attempt: `E` is an error in the first two attempts, and nothing in the third one.
  private static let attempt = [
    DiagramInput.cold("-a-E-|--", "an attempt; it fails at E, but for the third one")
  ]

  private static let retry = OperatorPage(
    "retry()", ["retry()"],
    "Subscribes to the source again after each error, without a limit.",
    ends: .withSource,
    fails: .cannotFail,
    threads: "Delivers as the source does. The next attempt begins on the thread of the error.",
    memory: "Holds one subscription.",
    related: ["retry(_:)", "retry(backoff)", "retry(when:)"],
    diagram: Diagram("retry()", attempt, extra: 8) { stage in stage.record(flaky(stage).retry()) }
  ) { _, bag in
    let attempts = BehaviorRelay(value: 0)
    Observable<Int>.deferred {
      attempts.accept(attempts.value + 1)
      return attempts.value < 3 ? .error(RxError.timeout) : .just(attempts.value)
    }
    .retry()
    .subscribe(onNext: { print("attempt", $0) })
    .disposed(by: bag)
  }

  private static let retryCount = OperatorPage(
    "retry(_:)", ["retry(_:)"],
    "Subscribes to the source again after an error, up to a number of attempts in total.",
    ends: "With the source. `retry(0)` completes without a subscription.",
    fails: "With the error of the last attempt. A negative number traps.",
    threads: "Delivers as the source does. The next attempt begins on the thread of the error.",
    memory: "Holds one subscription and a count.",
    related: ["retry()", "retry(backoff)", "catch"],
    diagram: Diagram("retry(2)", attempt, extra: 6) { stage in stage.record(flaky(stage).retry(2)) }
  ) { _, bag in
    let request = Observable<String>.error(RxError.timeout)
      .do(onSubscribe: { print("a request") })
    request.retry(2).subscribe(onError: { print("failed:", $0) }).disposed(by: bag)
  }

  private static let retryBackoff = OperatorPage(
    "retry(backoff)", ["retry(_:scheduler:if:random:)"],
    "Subscribes to the source again after each error, when a delay has passed.",
    ends: .withSource,
    fails: "With the error of the last attempt, or at once with one that is not transient.",
    threads: "Delivers as the source does. The next attempt begins on the scheduler.",
    memory: "Holds one subscription, a count and a timer.",
    related: ["retry(when:)", "retry(_:)", "timeout"],
    diagram: Diagram("retry(.fixed(1.5 s))", attempt, extra: 11) { stage in
      stage.record(flaky(stage).retry(.fixed(.milliseconds(1500)), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    let request = Observable<String>.error(RxError.timeout)
      .do(onSubscribe: { print("a request at", scheduler.clock / 1000, "s") })
    request
      .retry(.exponential(maxAttempts: 3, jitter: .none), scheduler: scheduler)
      .subscribe(onError: { print("failed:", $0) })
      .disposed(by: bag)
  }

  private static let retryWhen = OperatorPage(
    "retry(when:)", ["retry(when:)"],
    "Subscribes to the source again after an error each time that another observable emits.",
    ends:
      """
      With the source, or when the other observable completes: at once while an error waits for it, otherwise \
      at the next error.
      """,
    fails:
      """
      When the other observable fails, in the same way, or with an error of another type than the handler's.
      """,
    threads: "Delivers as the source does. The next attempt begins on the thread of the trigger.",
    memory: "Holds a subject of errors, and the subscriptions to the source and to the triggers.",
    related: ["retry(backoff)", "retry()", "catch"],
    diagram: Diagram(
      "retry(when: { errors in each with trigger })",
      [.cold("-a-x--", "an attempt"), .hot("----t---t-", "trigger")],
      extra: 3
    ) { stage in
      stage.record(
        stage[0].retry(when: { (errors: Observable<any Error>) in
          errors.flatMapLatest { _ in stage[1].take(1) }
        }))
    }
  ) { _, bag in
    let isOnline = PublishSubject<Bool>()
    let request = Observable<String>.error(RxError.timeout)
      .do(onSubscribe: { print("a request") })
    request
      .retry(when: { (errors: Observable<any Error>) in
        errors.flatMapLatest { _ in isOnline.filter { $0 } }
      })
      .subscribe()
      .disposed(by: bag)
    isOnline.onNext(false)
    isOnline.onNext(true)
  }
}
