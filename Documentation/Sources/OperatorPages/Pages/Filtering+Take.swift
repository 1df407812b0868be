import Reactive

extension OperatorPage {
  static let taking = [take, takeWhile, takeUntil, takeUntilPredicate, takeFor, takeLast]
  static let skipping = [skip, skipWhile, skipUntil, skipFor]

  private static let take = OperatorPage(
    "take", ["take(_:)"],
    "Emits the first elements, up to a number, and completes.",
    ends: "With the last of these elements, or with the source. `take(0)` completes at once.",
    fails: "When the source fails earlier. A negative count traps.",
    threads: .onSource,
    memory: .count,
    related: ["first", "take(while:)", "take(until:)", "skip"],
    diagram: Diagram("take(2)", [.hot("-a--b-c-|")]) { stage in stage.record(stage[0].take(2)) }
  ) { _, bag in
    Observable.range(start: 1, count: 1_000)
      .take(2)
      .subscribe(onNext: { print($0) }, onCompleted: { print("completed") })
      .disposed(by: bag)
  }

  private static let takeWhile = OperatorPage(
    "take(while:)", ["take(while:behavior:)"],
    "Emits elements as long as a closure returns true, and completes.",
    ends:
      """
      At the first element for which the closure returns false: `.inclusive` emits it. Or with \
      the source.
      """,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: .nothing,
    related: ["skip(while:)", "take(until:behavior:)", "filter"],
    diagram: Diagram("take(while: { $0 < 3 })", [.hot("-1-2-3-1|")]) { stage in
      stage.record(stage.numbers(0).take(while: { $0 < 3 }))
    }
  ) { _, bag in
    Observable.of(20, 60, 100, 100)
      .take(while: { $0 < 100 }, behavior: .inclusive)
      .subscribe(onNext: { print("\($0) %") })
      .disposed(by: bag)
  }

  private static let takeUntil = OperatorPage(
    "take(until:)", ["take(until:)"],
    "Emits elements until another observable emits, and completes.",
    ends:
      """
      At the first element of the other observable, or with the source. A completion of the \
      other has no effect.
      """,
    fails: "When either of them fails. An infallible ignores an error of the other.",
    threads: .throughGate,
    memory: "Holds one subscription to the other observable.",
    related: ["skip(until:)", "take(for:)", "take(while:)"],
    words: ["prefix(untilOutputFrom:)", "takeUntil"],
    diagram: Diagram("take(until: other)", [.hot("-a-b-c-|"), .hot("----s---", "other")]) {
      stage in stage.record(stage[0].take(until: stage[1]))
    }
  ) { _, bag in
    let (ticks, stop) = (PublishSubject<Int>(), PublishSubject<Void>())
    ticks.take(until: stop).subscribe(onNext: { print($0) }).disposed(by: bag)
    ticks.onNext(1)
    stop.onNext(())
    ticks.onNext(2)
  }

  private static let takeUntilPredicate = OperatorPage(
    "take(until:behavior:)", ["take(until:behavior:)"],
    "Emits elements until a closure returns true, and completes.",
    ends:
      """
      At the first element for which the closure returns true: `.inclusive` emits it. Or with \
      the source.
      """,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: .nothing,
    related: ["take(while:)", "take(until:)"],
    diagram: Diagram("take(until: { $0 == 3 }, behavior: .inclusive)", [.hot("-1-2-3-4|")]) {
      stage in
      stage.record(stage.numbers(0).take(until: { $0 == 3 }, behavior: .inclusive))
    }
  ) { _, bag in
    Observable.of("a line", "another", "", "the body")
      .take(until: { $0.isEmpty })
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let takeFor = OperatorPage(
    "take(for:)", ["take(for:scheduler:)"],
    "Emits the elements that arrive within a time, and completes.",
    ends: "When the time has passed, or with the source.",
    fails: .sourceFails,
    threads: "Delivers elements on the thread of the source; completes on the scheduler.",
    memory: .timer,
    related: ["take(until:)", "timeout", "skip(_:scheduler:)"],
    diagram: Diagram("take(for: 4.5 s)", [.hot("-a-b--c-|")]) { stage in
      stage.record(stage[0].take(for: .milliseconds(4500), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    Observable<Int>.interval(.seconds(2), scheduler: scheduler)
      .take(for: .seconds(5), scheduler: scheduler)
      .subscribe(onNext: { print($0) }, onCompleted: { print("completed") })
      .disposed(by: bag)
  }

  private static let takeLast = OperatorPage(
    "takeLast", ["takeLast(_:)"],
    "Emits the last elements, up to a number, when the source completes.",
    ends: "When the source completes, after these elements.",
    fails: "When the source fails; the elements are dropped. A negative count traps.",
    threads: .onSource,
    memory: "Holds at most `count` elements until the end.",
    related: ["take", "reduce", "toArray"],
    diagram: Diagram("takeLast(2)", [.hot("-a--b-c-|")]) { stage in
      stage.record(stage[0].takeLast(2))
    }
  ) { _, bag in
    Observable.of("one", "two", "three")
      .takeLast(1)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  // MARK: - Skipping

  private static let skip = OperatorPage(
    "skip", ["skip(_:)"],
    "Drops the first elements, up to a number, and emits all later ones.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: .count,
    related: ["take", "skip(while:)", "element(at:)"],
    diagram: Diagram("skip(2)", [.hot("-a--b-c-|")]) { stage in stage.record(stage[0].skip(2)) }
  ) { _, bag in
    let state = BehaviorRelay(value: "at the subscription")
    state.skip(1).subscribe(onNext: { print($0) }).disposed(by: bag)
    state.accept("a change")
  }

  private static let skipWhile = OperatorPage(
    "skip(while:)", ["skip(while:)"],
    "Drops elements as long as a closure returns true, and emits all later ones.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: "Holds whether it still drops.",
    related: ["take(while:)", "skip(until:)", "filter"],
    diagram: Diagram("skip(while: { $0 < 3 })", [.hot("-1-2-3-1|")]) { stage in
      stage.record(stage.numbers(0).skip(while: { $0 < 3 }))
    }
  ) { _, bag in
    Observable.of("", "", "text", "")
      .skip(while: { $0.isEmpty })
      .subscribe(onNext: { print("\"\($0)\"") })
      .disposed(by: bag)
  }

  private static let skipUntil = OperatorPage(
    "skip(until:)", ["skip(until:)"],
    "Emits the elements that arrive after the first element of another observable.",
    ends:
      """
      With the source. It never ends when the source completes before the other observable has \
      emitted.
      """,
    fails: "When the source fails, or when the other observable fails before its first element.",
    threads: .throughGate,
    memory: "Holds one subscription to the other observable.",
    related: ["take(until:)", "skip(while:)"],
    diagram: Diagram("skip(until: other)", [.hot("-a-b-c-|"), .hot("--s-----", "other")]) { stage in
      stage.record(stage[0].skip(until: stage[1]))
    }
  ) { _, bag in
    let (keys, unlock) = (PublishSubject<String>(), PublishSubject<Void>())
    keys.skip(until: unlock).subscribe(onNext: { print($0) }).disposed(by: bag)
    keys.onNext("ignored")
    unlock.onNext(())
    keys.onNext("typed")
  }

  private static let skipFor = OperatorPage(
    "skip(_:scheduler:)", ["skip(_:scheduler:)"],
    "Emits the elements that arrive after a time.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .throughGate,
    memory: .timer,
    related: ["take(for:)", "delaySubscription", "skip"],
    diagram: Diagram("skip(3.5 s)", [.hot("-a-b--c-|")]) { stage in
      stage.record(stage[0].skip(.milliseconds(3500), scheduler: stage.scheduler))
    }
  ) { scheduler, bag in
    Observable<Int>.interval(.seconds(2), scheduler: scheduler)
      .skip(.seconds(5), scheduler: scheduler)
      .take(1)
      .subscribe(onNext: { print("the first after five seconds:", $0) })
      .disposed(by: bag)
  }
}
