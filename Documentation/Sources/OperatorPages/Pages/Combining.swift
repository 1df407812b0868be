import Reactive

extension OperatorPage {
  static let combining = [
    merge, concat, combineLatest, zip, withLatestFrom, startWith, amb, andThen,
  ]

  /// The names of the overloads for two to eight sources, and for a collection.
  private static func overloads(_ name: String) -> [String] {
    [1, 2, 3, 4, 5, 6, 7, 8].flatMap { count in
      let labels = String(repeating: "_:", count: count)
      return ["\(name)(\(labels))", "\(name)(\(labels)resultSelector:)"]
    }
  }

  private static let merge = OperatorPage(
    "merge", ["merge(_:)"],
    "Emits the elements of all sources as they arrive.",
    ends: .withAllSources,
    fails: .anySourceFails,
    threads: .throughGate,
    memory: "Holds the active subscriptions, and no element.",
    related: ["concat", "merge()", "merge(delayErrors:)", "combineLatest"],
    diagram: Diagram("merge(a, b)", [.hot("-1--2-|-", "a"), .hot("--a--b-|", "b")]) { stage in
      stage.record(Observable.merge(stage[0], stage[1]))
    }
  ) { _, bag in
    let (keyboard, mouse) = (PublishSubject<String>(), PublishSubject<String>())
    Observable.merge(keyboard, mouse).subscribe(onNext: { print($0) }).disposed(by: bag)
    mouse.onNext("click")
    keyboard.onNext("enter")
  }

  private static let concat = OperatorPage(
    "concat", ["concat(_:)"],
    "Emits the elements of one source after the other.",
    ends: "When the last source has completed.",
    fails: "With the first error; later sources do not begin.",
    threads:
      """
      Delivers on the thread of the current source. The next one begins on the thread that ended \
      it.
      """,
    memory: "Holds the sources that have not begun. Concatenations can be nested without a limit.",
    related: ["startWith", "merge", "concatMap", "andThen"],
    words: ["append"],
    diagram: Diagram(
      "concat(a, b)", [.hot("-1--2|--", "a"), .cold("-a-b-|", "b, from its subscription")], extra: 5
    ) { stage in stage.record(Observable.concat(stage[0], stage[1])) }
  ) { _, bag in
    let cached = Observable.just("from the cache")
    let loaded = Observable.just("from the network")
    cached.concat(loaded).subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let combineLatest = OperatorPage(
    "combineLatest", overloads("combineLatest"),
    "Emits the latest elements of all sources, whenever one of them emits.",
    ends:
      """
      When all sources have completed, or when no result can follow because one has completed without an \
      element.
      """,
    fails: "With the first error of a source or of the closure; all sources are disposed of.",
    threads: .throughGate,
    memory:
      """
      Holds the latest element of each source. Until each source has emitted, newer elements replace \
      older ones without a result: `startWith` supplies a first element, and `zip` queues elements \
      instead.
      """,
    related: ["zip", "withLatestFrom", "merge"],
    words: ["drops values", "misses the first value", "waits for all sources"],
    diagram: Diagram(
      "combineLatest(a, b)", [.hot("-1--2--|", "a"), .hot("--a--b-|", "b")]
    ) { stage in
      stage.record(Observable.combineLatest(stage[0], stage[1]) { $0 + $1 })
    }
  ) { _, bag in
    let name = BehaviorRelay(value: "")
    let isAccepted = BehaviorRelay(value: false)
    Observable.combineLatest(name, isAccepted) { !$0.isEmpty && $1 }
      .subscribe(onNext: { print("can send:", $0) })
      .disposed(by: bag)
    name.accept("ann")
    isAccepted.accept(true)
  }

  private static let zip = OperatorPage(
    "zip", overloads("zip"),
    "Emits the first elements of all sources, then the second ones, and so on.",
    ends: "When all sources have completed, also when no result could follow earlier.",
    fails: "With the first error of a source or of the closure; all sources are disposed of.",
    threads: .throughGate,
    memory: "Holds the elements that have no partner yet, without a bound.",
    related: ["combineLatest", "withLatestFrom", "enumerated"],
    words: ["pair"],
    diagram: Diagram("zip(a, b)", [.hot("-1--2--|", "a"), .hot("--a--b-|", "b")]) { stage in
      stage.record(Observable.zip(stage[0], stage[1]) { $0 + $1 })
    }
  ) { _, bag in
    let user = Single.just("ann")
    let orders = Single.just(3)
    Single.zip(user, orders) { "\($0) has \($1) orders" }
      .subscribe(onSuccess: { print($0) })
      .disposed(by: bag)
  }

  private static let withLatestFrom = OperatorPage(
    "withLatestFrom", ["withLatestFrom(_:)", "withLatestFrom(_:resultSelector:)"],
    "Emits the latest element of another observable each time the source emits.",
    ends:
      """
      With the source. After a completion of the other observable its latest element stays in \
      use.
      """,
    fails: "When either of them fails, or the closure throws.",
    threads: .throughGate,
    memory: "Holds the latest element of the other observable.",
    related: ["combineLatest", "sample", "zip"],
    diagram: Diagram(
      "withLatestFrom(other) { $0 + $1 }", [.hot("-a--b--|"), .hot("--1--2--", "other")]
    ) { stage in
      stage.record(stage[0].withLatestFrom(stage[1]) { $0 + $1 })
    }
  ) { _, bag in
    let text = BehaviorRelay(value: "")
    let send = PublishSubject<Void>()
    send.withLatestFrom(text).subscribe(onNext: { print("send", $0) }).disposed(by: bag)
    text.accept("hello")
    send.onNext(())
  }

  private static let startWith = OperatorPage(
    "startWith", ["startWith(_:)"],
    "Emits the given elements first, and then those of the source.",
    ends: .withSource,
    fails: .sourceFails,
    threads:
      "Delivers the given elements within the call that subscribes, then as the source does.",
    memory: "Holds the given elements.",
    related: ["concat", "BehaviorRelay", "share"],
    words: ["prepend"],
    diagram: Diagram("startWith(z)", [.hot("--a--b-|-")]) { stage in
      stage.record(stage[0].startWith("z"))
    }
  ) { _, bag in
    Observable.just("42 results")
      .startWith("loading")
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let amb = OperatorPage(
    "amb", ["amb(_:)"],
    "Emits what the source does that emits or ends first; the others are disposed of.",
    ends: "With that source.",
    fails: "With that source.",
    threads: .throughGate,
    memory: "Holds all sources until one emits, then that one.",
    related: ["merge", "timeout(other:)", "switchLatest"],
    words: ["race", "first to emit"],
    diagram: Diagram("a.amb(b)", [.hot("--1--2-|", "a"), .hot("---a-b-|", "b")]) { stage in
      stage.record(stage[0].amb(stage[1]))
    }
  ) { scheduler, bag in
    let slow = Observable.just("mirror 1").delay(.seconds(2), scheduler: scheduler)
    let fast = Observable.just("mirror 2").delay(.seconds(1), scheduler: scheduler)
    slow.amb(fast).subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let andThen = OperatorPage(
    "andThen", ["andThen(_:)"],
    "Subscribes to another sequence when a `Completable` completes.",
    ends: "With the other sequence.",
    fails: "With an error of the completable, at once, or of the other sequence.",
    threads:
      "Delivers as the other sequence does, which begins on the thread that ended the completable.",
    memory: "Holds the other sequence until it begins.",
    related: ["concat", "flatMapCompletable", "asCompletable"],
    diagram: Diagram(
      "andThen(second)",
      [.hot("---|----", "completable"), .cold("-a-b-|", "second, from its subscription")],
      extra: 5
    ) { stage in
      stage.record(stage[0].ignoreElements().asCompletable().andThen(stage[1]))
    }
  ) { _, bag in
    let logIn = Completable.create { observer in
      print("logged in")
      observer(.completed)
      return Disposables.create()
    }
    logIn.andThen(Single.just("profile"))
      .subscribe(onSuccess: { print($0) })
      .disposed(by: bag)
  }
}
