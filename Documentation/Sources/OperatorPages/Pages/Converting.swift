import Reactive

extension OperatorPage {
  static let converting = [
    asSingle, asMaybe, asCompletable, asInfallible, asDriver, asSignal, asSharedSequence,
    asObservable,
  ]

  private static let asSingle = OperatorPage(
    "asSingle", ["asSingle()"],
    "A `Single` of the source's only element, which it emits when the source completes.",
    ends: "When the source completes, right after the element.",
    fails:
      """
      With the source; with `RxError.moreThanOneElement` at a second element, and with `RxError.noElements` \
      when there is none.
      """,
    threads: .onSource,
    memory: "Holds the element until the end confirms it.",
    related: ["asMaybe", "first", "single", "value"],
    diagram: Diagram(
      "asSingle()", [.hot("--a--|--", "one element"), .hot("-b-c-|--", "two")],
      outputs: ["result of the first", "result of the second"]
    ) { stage in
      for row in 0...1 { stage.record(stage[row].asSingle().asObservable(), in: row) }
    }
  ) { _, bag in
    Observable.of("only")
      .asSingle()
      .subscribe(onSuccess: { print($0) }, onFailure: { print("failed:", $0) })
      .disposed(by: bag)
  }

  private static let asMaybe = OperatorPage(
    "asMaybe", ["asMaybe()"],
    "A `Maybe` of the source's only element, if there is one.",
    ends: "When the source completes.",
    fails: "With the source; with `RxError.moreThanOneElement` at a second element.",
    threads: .onSource,
    memory: "Holds the element until the end confirms it.",
    related: ["asSingle", "first", "flatMapMaybe"],
    diagram: Diagram(
      "asMaybe()", [.hot("--a--|--", "one element"), .hot("-----|--", "none")],
      outputs: ["result of the first", "result of the second"]
    ) { stage in
      for row in 0...1 { stage.record(stage[row].asMaybe().asObservable(), in: row) }
    }
  ) { _, bag in
    Observable<String>.empty()
      .asMaybe()
      .subscribe(onSuccess: { print($0) }, onCompleted: { print("nothing") })
      .disposed(by: bag)
  }

  private static let asCompletable = OperatorPage(
    "asCompletable", ["asCompletable()"],
    "A `Completable` with the end of a `Single`, or of an observable without elements.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: .nothing,
    related: ["ignoreElements", "andThen", "asSingle"],
    diagram: Diagram("ignoreElements().asCompletable()", [.hot("-a--b--|-")]) { stage in
      stage.record(stage[0].ignoreElements().asCompletable().asObservable())
    }
  ) { _, bag in
    let upload = Single.just(201)
    upload.asCompletable()
      .subscribe(onCompleted: { print("uploaded") })
      .disposed(by: bag)
  }

  private static let asInfallible = OperatorPage(
    "asInfallible",
    [
      "asInfallible()", "asInfallible(onErrorJustReturn:)", "asInfallible(onErrorFallbackTo:)",
      "asInfallible(onErrorRecover:)",
    ],
    "An `Infallible`: an observable that cannot fail, without sharing.",
    ends: "With the source, or with what replaces its error.",
    fails: .cannotFail,
    threads: .onSource,
    memory: "Holds nothing but what replaces an error.",
    related: ["asDriver", "catchAndReturn", "asObservable"],
    diagram: Diagram("asInfallible(onErrorJustReturn: z)", [.hot("-a--b--x-")]) { stage in
      stage.record(stage[0].asInfallible(onErrorJustReturn: "z").asObservable())
    }
  ) { _, bag in
    Observable<Int>.error(RxError.timeout)
      .asInfallible(onErrorJustReturn: 0)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  /// A source, and an observer that comes late.
  private static let late = [
    DiagramInput.hot("-a--b-x--"), .observer("-----^---", "second observer"),
  ]

  private static let asDriver = OperatorPage(
    "asDriver",
    [
      "asDriver()", "asDriver(onErrorJustReturn:)", "asDriver(onErrorDriveWith:)",
      "asDriver(onErrorRecover:)",
    ],
    "A `Driver`: state for a user interface. It cannot fail, and replays the last element.",
    ends: "With the source, or with what replaces its error.",
    fails: .cannotFail,
    threads: .onMain,
    memory:
      """
      Holds one subscription for all observers, the last element, and those queued for the main \
      queue, without a bound.
      """,
    related: ["drive", "asSignal", "asInfallible", "share"],
    diagram: Diagram(
      "asDriver(onErrorJustReturn: z)", late, outputs: ["first receives", "second receives"]
    ) { stage in
      let driver = stage[0].asDriver(onErrorJustReturn: "z").asObservable()
      stage.record(driver, in: 0)
      stage.record(driver, in: 1, by: 1)
    }
  ) { _, bag in
    let name = BehaviorRelay(value: "ann")
    let title = name.asDriver().map { "Hello, \($0)" }
    title.drive(onNext: { print($0) }).disposed(by: bag)
    name.accept("bob")
  }

  private static let asSignal = OperatorPage(
    "asSignal",
    [
      "asSignal()", "asSignal(onErrorJustReturn:)", "asSignal(onErrorSignalWith:)",
      "asSignal(onErrorRecover:)",
    ],
    "A `Signal`: events for a user interface. It cannot fail, and replays nothing.",
    ends: "With the source, or with what replaces its error.",
    fails: .cannotFail,
    threads: .onMain,
    memory:
      """
      Holds one subscription for all observers, and the elements queued for the main queue, \
      without a bound.
      """,
    related: ["emit", "asDriver", "PublishRelay"],
    diagram: Diagram(
      "asSignal(onErrorJustReturn: z)", late, outputs: ["first receives", "second receives"]
    ) { stage in
      let signal = stage[0].asSignal(onErrorJustReturn: "z").asObservable()
      stage.record(signal, in: 0)
      stage.record(signal, in: 1, by: 1)
    }
  ) { _, bag in
    let taps = PublishRelay<String>()
    taps.asSignal().emit(onNext: { print("tapped", $0) }).disposed(by: bag)
    taps.accept("save")
  }

  private static let asSharedSequence = OperatorPage(
    "asSharedSequence",
    [
      "asSharedSequence()", "asSharedSequence(sharingStrategy:onErrorJustReturn:)",
      "asSharedSequence(sharingStrategy:onErrorDriveWith:)",
      "asSharedSequence(sharingStrategy:onErrorRecover:)",
    ],
    "A driver, signal, infallible or a kind of your own, by its sharing strategy.",
    ends: "With the source, or with what replaces its error.",
    fails: .cannotFail,
    threads:
      "Delivers on the scheduler of the strategy; an infallible on the thread of the source.",
    memory:
      "Holds what the strategy shares, and the elements queued for its scheduler, without a bound.",
    related: ["asDriver", "asSignal", "asInfallible"],
    diagram: Diagram(
      "asSharedSequence(DriverSharingStrategy.self, z)", late,
      outputs: ["first receives", "second receives"]
    ) { stage in
      let shared = stage[0].asSharedSequence(
        sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: "z"
      ).asObservable()
      stage.record(shared, in: 0)
      stage.record(shared, in: 1, by: 1)
    }
  ) { _, bag in
    let state: Driver<Int> = Observable.just(1).asSharedSequence(onErrorJustReturn: 0)
    state.drive(onNext: { print($0) }).disposed(by: bag)
  }

  private static let asObservable = OperatorPage(
    "asObservable", ["asObservable()"],
    "An observable of the same events: of a single, a driver, a relay, a subject.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: .nothing,
    related: ["asSingle", "asInfallible", "asDriver"],
    diagram: Diagram("single.asObservable()", [.hot("---a----", "single")]) { stage in
      stage.record(stage[0].take(1).asSingle().asObservable())
    }
  ) { _, bag in
    let cached = Single.just("cached").asObservable()
    let updates = PublishRelay<String>()
    Observable.merge(cached, updates.asObservable())
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
    updates.accept("updated")
  }
}
