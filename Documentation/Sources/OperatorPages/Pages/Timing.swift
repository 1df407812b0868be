import Reactive

extension OperatorPage {
  static let timing = [
    debounce, throttle, delay, delaySubscription, timeout, timeoutOther, observeOn,
    observeOnBuffered, subscribeOn,
  ]

  private static let debounce = OperatorPage(
    "debounce", ["debounce(_:scheduler:)", "debounce(_:)"],
    "Emits an element once the source has emitted nothing for a time after it.",
    ends: "When the source completes; the pending element is emitted first.",
    fails: "When the source fails; the pending element is dropped.",
    threads:
      """
      Delivers elements on the scheduler, and the end, with a pending element, on the thread of \
      the source.
      """,
    memory: "Holds the pending element and a timer.",
    related: ["throttle", "sample", "flatMapLatest"],
    diagram: Diagram("debounce(1.5 s)", [.hot("-ab--c---|-")]) { stage in
      stage.record(stage[0].debounce(.milliseconds(1500), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    let text = PublishSubject<String>()
    text
      .debounce(.milliseconds(300), scheduler: scheduler)
      .subscribe(onNext: { print("search for", $0) })
      .disposed(by: bag)
    text.onNext("r")
    text.onNext("rx")
  }

  private static let throttle = OperatorPage(
    "throttle", ["throttle(_:latest:scheduler:)", "throttle(_:latest:)"],
    "Emits at most one element within a time: the first one and, with `latest`, the last one.",
    ends: "When the source completes, and the held element, if there is one, has been emitted.",
    fails: "When the source fails; the held element is dropped.",
    threads:
      "Delivers an element on the thread of the source or, if it was held, on the scheduler.",
    memory: "Holds one element and a timer.",
    related: ["debounce", "sample", "flatMapFirst"],
    diagram: Diagram(
      "throttle(2.5 s)", [.hot("-ab-c---|-")], outputs: ["latest: true", "latest: false"], extra: 2
    ) { stage in
      let time = RxTimeInterval.milliseconds(2500)
      stage.record(stage[0].throttle(time, scheduler: stage.scheduler), in: 0)
      stage.record(stage[0].throttle(time, latest: false, scheduler: stage.scheduler), in: 1)
    }
  ) { scheduler, bag in
    Observable<Int>.interval(.milliseconds(200), scheduler: scheduler)
      .take(10)
      .throttle(.seconds(1), scheduler: scheduler)
      .subscribe(onNext: { print("redraw", $0) })
      .disposed(by: bag)
  }

  private static let delay = OperatorPage(
    "delay", ["delay(_:scheduler:)", "delay(_:)"],
    "Delivers elements and the completion later.",
    ends: "When the source completes, after the delay.",
    fails: "At once when the source fails; the delayed elements are dropped.",
    threads: "Delivers on the scheduler, but an error on the thread on which it arrives.",
    memory: "Holds the delayed elements, without a bound, and one timer.",
    related: ["delaySubscription", "timer", "debounce"],
    diagram: Diagram("delay(2 s)", [.hot("-a--b-c-|")], extra: 3) { stage in
      stage.record(stage[0].delay(.seconds(2), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    Observable.of("hint")
      .delay(.seconds(3), scheduler: scheduler)
      .subscribe(onNext: { print($0, "after", scheduler.clock / 1000, "s") })
      .disposed(by: bag)
  }

  private static let delaySubscription = OperatorPage(
    "delaySubscription", ["delaySubscription(_:scheduler:)"],
    "Subscribes to the source after a time.",
    ends: .withSource,
    fails: .sourceFails,
    threads: "Subscribes on the scheduler, and delivers as the source does.",
    memory: "Holds a timer until it subscribes.",
    related: ["delay", "skip(_:scheduler:)", "subscribe(on:)"],
    diagram: Diagram("delaySubscription(2.5 s)", [.hot("-a-b--c-|")]) { stage in
      stage.record(
        stage[0].delaySubscription(.milliseconds(2500), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    Observable<String>.deferred { .just("began at \(scheduler.clock / 1000) s") }
      .delaySubscription(.seconds(2), scheduler: scheduler)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let timeout = OperatorPage(
    "timeout", ["timeout(_:scheduler:)"],
    """
    Fails when no element arrives within a time after the subscription or after the previous \
    element.
    """,
    ends: .withSource,
    fails: "With `RxError.timeout` when the time has passed, or with the source.",
    threads: "Delivers elements on the thread of the source, and the timeout on the scheduler.",
    memory: .timer,
    related: ["timeout(other:)", "take(for:)", "retry(backoff)"],
    diagram: Diagram("timeout(3.5 s)", [.hot("-a--b-----|")]) { stage in
      stage.record(stage[0].timeout(.milliseconds(3500), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    Single<String>.never()
      .timeout(.seconds(10), scheduler: scheduler)
      .subscribe(onFailure: { print("failed:", $0) })
      .disposed(by: bag)
  }

  private static let timeoutOther = OperatorPage(
    "timeout(other:)", ["timeout(_:other:scheduler:)"],
    "Continues with another observable when no element arrives within a time.",
    ends: "When the source completes in time, or when the other observable completes.",
    fails: "When the source fails in time, or when the other observable fails.",
    threads:
      """
      Delivers as the source does, and then as the other observable, which begins on the \
      scheduler.
      """,
    memory: "Holds a timer and the other observable.",
    related: ["timeout", "amb", "catch"],
    diagram: Diagram(
      "timeout(2.5 s, other: other)",
      [.hot("-a--b---"), .cold("-1-2|", "other, from its subscription")], extra: 5
    ) { stage in
      stage.record(
        stage[0].timeout(.milliseconds(2500), other: stage[1], scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    Observable<String>.never()
      .timeout(.seconds(2), other: Observable.just("from the cache"), scheduler: scheduler)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  // MARK: - Threads

  private static let observeOn = OperatorPage(
    "observe(on:)", ["observe(on:)"],
    "Delivers all events on a scheduler, in order.",
    ends: "When the source completes, after the queued elements.",
    fails: "When the source fails, after the queued elements.",
    threads:
      """
      Delivers on the scheduler; the sender continues at once. On `MainScheduler.instance` an element that \
      arrives on the main queue is delivered at once.
      """,
    memory: "Holds the elements queued for the scheduler, without a bound.",
    related: ["observe(on:buffer:)", "subscribe(on:)", "asDriver"],
    words: ["receive(on:)", "main thread"],
    diagram: Diagram("observe(on: a worker, busy for 1.5 s each)", [.hot("-abc----|")], extra: 3) {
      stage in
      stage.record(stage[0].observe(on: WorkerScheduler(stage, duration: 3)))
    }
  ) { _, _ in
    let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "parsing")
    let lengths = Observable.of("a", "bc")
      .observe(on: queue)
      .map { $0.count }
    for try await length in lengths.values { print(length) }
  }

  private static let observeOnBuffered = OperatorPage(
    "observe(on:buffer:)", ["observe(on:buffer:onDropped:)"],
    "Delivers all events on a scheduler, with a limit for the elements that are queued for it.",
    ends: "When the source completes, after the queued elements.",
    fails:
      """
      When the source fails, or with `BufferOverflowError` by the policy `.fail`, after the \
      queued elements.
      """,
    threads:
      """
      Delivers on the scheduler. `onDropped` is called on the thread of the element that did not \
      fit.
      """,
    memory:
      """
      Holds at most as many elements as the policy allows. With `.suspend` and a source that cannot be \
      suspended, it is unbounded.
      """,
    related: ["observe(on:)", "values(buffer:)", "throttle"],
    diagram: Diagram(
      "observe(on: a worker, busy for 3 s each, buffer: .latest)", [.hot("-abc-d--|")],
      outputs: ["result", "dropped so far"], extra: 6
    ) { stage in
      let worker = WorkerScheduler(stage, duration: 6)
      stage.record(
        stage[0].observe(on: worker, buffer: .latest) { stage.note("\($0)", in: 1) })
    }
  ) { scheduler, bag in
    let prices = PublishSubject<Int>()
    prices
      .observe(on: scheduler, buffer: .bounded(2, .dropOldest)) { print($0, "dropped") }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
    for price in 1...3 { prices.onNext(price) }
  }

  private static let subscribeOn = OperatorPage(
    "subscribe(on:)", ["subscribe(on:)"],
    "Subscribes to the source, and disposes of it, on a scheduler.",
    ends: .withSource,
    fails: .sourceFails,
    threads:
      """
      Begins the source on the scheduler. Delivers as the source does: for another thread use \
      `observe(on:)`.
      """,
    memory: .nothing,
    related: ["observe(on:)", "delaySubscription"],
    diagram: Diagram(
      "subscribe(on: a worker that begins 1.5 s later)",
      [.cold("-a-b-|", "source, from its subscription"), .observer("-^------")], extra: 1
    ) { stage in
      stage.record(stage[0].subscribe(on: WorkerScheduler(stage, latency: 3)), by: 1)
    }
  ) { _, _ in
    let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "files")
    let size = Observable<Int>.deferred { .just("a file that is read".count) }
      .subscribe(on: queue)
    for try await count in size.values { print(count) }
  }
}
