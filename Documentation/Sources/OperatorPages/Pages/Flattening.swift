import Reactive

extension OperatorPage {
  static let flattening = [
    flatMap, flatMapLatest, flatMapFirst, concatMap, concatMapEager, expand, flatMapMaybe,
    flatMapCompletable, mergeInner, mergeMaxConcurrent, mergeDelayErrors, concatInner, switchLatest,
  ]

  /// The inputs of operators that make an observable of each element.
  private static let inputs = [
    DiagramInput.hot("-a--b---|"), .cold("-1--2|", "the inner observable, from its subscription"),
  ]

  private static let flatMap = OperatorPage(
    "flatMap", ["flatMap(_:)"],
    "Makes an observable of each element, and emits the elements of all of them as they arrive.",
    ends: .withAllInner,
    fails: .anyInnerFails,
    threads: .throughGate,
    memory: "Holds the active subscriptions, without a bound, and no element.",
    related: ["flatMapLatest", "concatMap", "merge(maxConcurrent:)", "map"],
    words: ["mergeMap"],
    diagram: Diagram("flatMap { inner }", inputs, extra: 6) { stage in
      stage.record(stage[0].flatMap { name in stage[1].map { name + $0 } })
    }
  ) { scheduler, bag in
    Observable.of(3, 1, 2)
      .flatMap { seconds in
        Observable.just("\(seconds) s").delay(.seconds(seconds), scheduler: scheduler)
      }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let flatMapLatest = OperatorPage(
    "flatMapLatest", ["flatMapLatest(_:)"],
    "Makes an observable of each element, and emits the elements of the latest one only.",
    ends: "When the source and the latest inner observable have completed.",
    fails: .anyInnerFails,
    threads: .throughGate,
    memory: "Holds one inner subscription; the next one replaces it.",
    related: ["switchLatest", "flatMap", "flatMapFirst"],
    words: ["switchMap", "cancel the previous request"],
    diagram: Diagram("flatMapLatest { inner }", inputs, extra: 6) { stage in
      stage.record(stage[0].flatMapLatest { name in stage[1].map { name + $0 } })
    }
  ) { scheduler, bag in
    let text = PublishSubject<String>()
    text
      .flatMapLatest { text in
        Observable.just("results for \(text)").delay(.seconds(1), scheduler: scheduler)
      }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
    text.onNext("r")
    text.onNext("rx")
  }

  private static let flatMapFirst = OperatorPage(
    "flatMapFirst", ["flatMapFirst(_:)"],
    "Makes an observable of an element, and drops the elements that arrive while it runs.",
    ends: "When the source and the running inner observable have completed.",
    fails: .anyInnerFails,
    threads: .throughGate,
    memory: "Holds one inner subscription.",
    related: ["flatMapLatest", "concatMap", "throttle"],
    words: ["exhaustMap"],
    diagram: Diagram("flatMapFirst { inner }", inputs, extra: 6) { stage in
      stage.record(stage[0].flatMapFirst { name in stage[1].map { name + $0 } })
    }
  ) { scheduler, bag in
    let taps = PublishSubject<Int>()
    taps
      .flatMapFirst { tap in
        Observable.just("saved by tap \(tap)").delay(.seconds(1), scheduler: scheduler)
      }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
    taps.onNext(1)
    taps.onNext(2)
  }

  private static let concatMap = OperatorPage(
    "concatMap", ["concatMap(_:)"],
    "Makes an observable of each element, and runs them one after the other.",
    ends: .withAllInner,
    fails: .anyInnerFails,
    threads:
      """
      Delivers on the threads of its sources. A queued observable begins on the thread that \
      ended the last one.
      """,
    memory: "Holds the observables that have not begun, without a bound.",
    related: ["concatMapEager", "flatMap", "concat"],
    diagram: Diagram("concatMap { inner }", inputs, extra: 6) { stage in
      stage.record(stage[0].concatMap { name in stage[1].map { name + $0 } })
    }
  ) { scheduler, bag in
    Observable.of(3, 1, 2)
      .concatMap { seconds in
        Observable.just("wrote \(seconds)").delay(.seconds(seconds), scheduler: scheduler)
      }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let concatMapEager = OperatorPage(
    "concatMapEager", ["concatMapEager(_:)"],
    "Runs the observables made of the elements at once, and emits their elements in order.",
    ends: .withAllInner,
    fails: "At once, with the first error of any of them; the queued elements are dropped.",
    threads: .throughGate,
    memory: "Holds the elements of observables whose turn has not come, without a bound.",
    related: ["concatMap", "flatMap"],
    diagram: Diagram("concatMapEager { inner }", inputs, extra: 6) { stage in
      stage.record(stage[0].concatMapEager { name in stage[1].map { name + $0 } })
    }
  ) { scheduler, bag in
    // All downloads begin at once; the parts keep their order.
    Observable.of(3, 1, 2)
      .concatMapEager { seconds in
        Observable.just("part \(seconds)").delay(.seconds(seconds), scheduler: scheduler)
      }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let expand = OperatorPage(
    "expand", ["expand(_:)"],
    "Emits each element, and then those of the observable made of it, and so on.",
    ends: .withAllInner,
    fails: .anyInnerFails,
    threads: .throughGate,
    memory:
      "Holds the active subscriptions, without a bound. A chain of any length needs no deep stack.",
    related: ["flatMap", "generate", "concatMap"],
    diagram: Diagram(
      "expand { $0 < 100 ? 10 * $0 after 2 s : empty }", [.hot("-1--5---|")], extra: 5
    ) {
      stage in
      let scheduler = stage.scheduler
      stage.record(
        stage.numbers(0).expand { number in
          number < 100
            ? Observable.just(10 * number).delay(.seconds(2), scheduler: scheduler) : .empty()
        })
    }
  ) { _, bag in
    let children = ["root": ["a", "b"], "a": ["c"]]
    Observable.just("root")
      .expand { Observable.from(children[$0] ?? []) }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let mergeInner = OperatorPage(
    "merge()", ["merge()"],
    "Emits the elements of all observables of a source of observables, as they arrive.",
    ends: .withAllInner,
    fails: .anyInnerFails,
    threads: .throughGate,
    memory: "Holds the active subscriptions, without a bound, and no element.",
    related: ["flatMap", "merge", "switchLatest", "concat()"],
    diagram: Diagram("merge()", inputs, extra: 6) { stage in
      let observables = stage[0].map { name in stage[1].map { name + $0 } }
      stage.record(observables.merge())
    }
  ) { _, bag in
    let rooms = PublishSubject<Observable<String>>()
    rooms.merge().subscribe(onNext: { print($0) }).disposed(by: bag)
    rooms.onNext(.of("hello", "bye"))
    rooms.onNext(.just("hi"))
  }

  private static let mergeMaxConcurrent = OperatorPage(
    "merge(maxConcurrent:)", ["merge(maxConcurrent:)"],
    "Emits the elements of a source's observables, of which at most a number run at a time.",
    ends: .withAllInner,
    fails: .anyInnerFails,
    threads:
      """
      Delivers on the threads of its sources. A queued observable begins on the thread that \
      ended another one.
      """,
    memory: "Holds the observables that have not begun, without a bound.",
    related: ["merge()", "concatMap", "flatMap"],
    diagram: Diagram(
      "merge(maxConcurrent: 2)",
      [.hot("-a-b-c--|"), .cold("-1-2|", "the inner observable, from its subscription")],
      extra: 6
    ) { stage in
      let observables = stage[0].map { name in stage[1].map { name + $0 } }
      stage.record(observables.merge(maxConcurrent: 2))
    }
  ) { scheduler, bag in
    Observable.of(1, 2, 3)
      .map { Observable.just("download \($0)").delay(.seconds(10), scheduler: scheduler) }
      .merge(maxConcurrent: 2)
      .subscribe(onNext: { print($0, "at", scheduler.clock / 1000, "s") })
      .disposed(by: bag)
  }

  private static let mergeDelayErrors = OperatorPage(
    "merge(delayErrors:)", ["merge(delayErrors:)", "merge(_:delayErrors:)"],
    "Emits the elements of all sources; an error waits until the other sources have ended.",
    ends: .withAllSources,
    fails: "With the first error, once all sources have ended. Without `delayErrors`, at once.",
    threads: .throughGate,
    memory: "Holds the active subscriptions and the first error.",
    related: ["merge", "merge()", "catch"],
    diagram: Diagram(
      "merge([a, b], delayErrors: true)", [.hot("-a-x-----", "a"), .hot("--b--c-|-", "b")]
    ) { stage in
      stage.record(Observable.merge([stage[0], stage[1]], delayErrors: true))
    }
  ) { _, bag in
    let failing = Observable<Int>.error(RxError.timeout)
    Observable.merge([failing, .of(1, 2)], delayErrors: true)
      .subscribe(onNext: { print($0) }, onError: { print("failed:", $0) })
      .disposed(by: bag)
  }

  private static let concatInner = OperatorPage(
    "concat()", ["concat()"],
    "Runs the observables of a source of observables one after the other.",
    ends: .withAllInner,
    fails: .anyInnerFails,
    threads:
      """
      Delivers on the threads of its sources. A queued observable begins on the thread that \
      ended the last one.
      """,
    memory: "Holds the observables that have not begun, without a bound.",
    related: ["concatMap", "concat", "merge(maxConcurrent:)"],
    diagram: Diagram("concat()", inputs, extra: 6) { stage in
      let observables = stage[0].map { name in stage[1].map { name + $0 } }
      stage.record(observables.concat())
    }
  ) { _, bag in
    let songs = Observable.of(Observable.of("verse", "chorus"), .just("applause"))
    songs.concat().subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let switchLatest = OperatorPage(
    "switchLatest", ["switchLatest()"],
    "Emits the elements of the latest observable of a source of observables.",
    ends: "When the source and its latest observable have completed.",
    fails: .anyInnerFails,
    threads: .throughGate,
    memory: "Holds one inner subscription; the next one replaces it.",
    related: ["flatMapLatest", "merge()"],
    diagram: Diagram("switchLatest()", inputs, extra: 6) { stage in
      let observables = stage[0].map { name in stage[1].map { name + $0 } }
      stage.record(observables.switchLatest())
    }
  ) { _, bag in
    let (kitchen, garden) = (PublishSubject<String>(), PublishSubject<String>())
    let camera = BehaviorRelay<Observable<String>>(value: kitchen)
    camera.asObservable().switchLatest().subscribe(onNext: { print($0) }).disposed(by: bag)
    kitchen.onNext("kettle")
    camera.accept(garden)
    kitchen.onNext("smoke")
    garden.onNext("fox")
  }

  private static let flatMapMaybe = OperatorPage(
    "flatMapMaybe", ["flatMapMaybe(_:)"],
    "Continues a `Single` with the `Maybe` that a closure makes of its element.",
    ends: "When the maybe completes.",
    fails: "With the error of the single, of the maybe or of the closure.",
    threads: "Delivers on the thread of the maybe.",
    memory: "Holds one subscription.",
    related: ["flatMap", "flatMapCompletable", "asMaybe"],
    diagram: Diagram(
      "flatMapMaybe { $0 > 2 ? just : empty }",
      [.hot("-1------", "a single"), .hot("---3----", "another single")],
      outputs: ["result of the first", "result of the second"]
    ) { stage in
      for row in 0...1 {
        let single = stage.numbers(row).take(1).asSingle()
        let result = single.flatMapMaybe { $0 > 2 ? .just($0) : .empty() }
        stage.record(result.asObservable(), in: row)
      }
    }
  ) { _, bag in
    let cache = [7: "seven"]
    Single.just(7)
      .flatMapMaybe { cache[$0].map { .just($0) } ?? .empty() }
      .subscribe(onSuccess: { print($0) }, onCompleted: { print("not cached") })
      .disposed(by: bag)
  }

  private static let flatMapCompletable = OperatorPage(
    "flatMapCompletable", ["flatMapCompletable(_:)"],
    "Continues a `Single` with the `Completable` that a closure makes of its element.",
    ends: "When the completable completes.",
    fails: "With the error of the single, of the completable or of the closure.",
    threads: "Delivers on the thread of the completable.",
    memory: "Holds one subscription.",
    related: ["flatMapMaybe", "andThen", "asCompletable"],
    diagram: Diagram(
      "flatMapCompletable { save($0) }",
      [.hot("-a------", "single"), .cold("--|---", "save, from its subscription")],
      extra: 5
    ) { stage in
      let single = stage[0].take(1).asSingle()
      let result = single.flatMapCompletable { _ in stage[1].ignoreElements().asCompletable() }
      stage.record(result.asObservable())
    }
  ) { _, bag in
    Single.just("draft")
      .flatMapCompletable { text in
        .create { observer in
          print("saving", text)
          observer(.completed)
          return Disposables.create()
        }
      }
      .subscribe(onCompleted: { print("saved") })
      .disposed(by: bag)
  }
}
