import Reactive

extension OperatorPage {
  static let filtering =
    [filter, distinctUntilChanged, ignoreElements, elementAt, first, single]
    + taking + skipping + [sample, ifEmptyDefault, ifEmptySwitch]

  private static let filter = OperatorPage(
    "filter", ["filter(_:)"],
    "Emits the elements for which a closure returns true.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: .nothing,
    related: ["compactMap", "take(while:)", "distinctUntilChanged"],
    diagram: Diagram("filter { $0 > 2 }", [.hot("-1-4-2-3|")]) { stage in
      stage.record(stage.numbers(0).filter { $0 > 2 })
    }
  ) { _, bag in
    Observable.of(1, 2, 3, 4)
      .filter { $0.isMultiple(of: 2) }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let distinctUntilChanged = OperatorPage(
    "distinctUntilChanged",
    [
      "distinctUntilChanged()", "distinctUntilChanged(_:)", "distinctUntilChanged(_:comparer:)",
      "distinctUntilChanged(at:)",
    ],
    "Emits the elements that differ from the previous one: by value, key, key path or closure.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: "Holds the last element or its key.",
    related: ["filter", "scan"],
    words: ["removeDuplicates", "skip equal neighbours"],
    diagram: Diagram("distinctUntilChanged()", [.hot("-a-a-b-a|")]) { stage in
      stage.record(stage[0].distinctUntilChanged())
    }
  ) { _, bag in
    Observable.of("on", "on", "off", "on")
      .distinctUntilChanged()
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let ignoreElements = OperatorPage(
    "ignoreElements", ["ignoreElements()"],
    "Drops all elements, and passes the end.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: .nothing,
    related: ["asCompletable", "filter"],
    diagram: Diagram("ignoreElements()", [.hot("-a--b--|-")]) { stage in
      stage.record(stage[0].ignoreElements())
    }
  ) { _, bag in
    Observable.of("part 1", "part 2")
      .ignoreElements()
      .subscribe(onCompleted: { print("uploaded") })
      .disposed(by: bag)
  }

  private static let elementAt = OperatorPage(
    "element(at:)", ["element(at:)"],
    "Emits one element, by its index.",
    ends: "Right after that element; the source is disposed of.",
    fails:
      """
      When the source fails; with `RxError.argumentOutOfRange` when it is shorter. A negative \
      index traps.
      """,
    threads: .onSource,
    memory: .count,
    related: ["first", "take", "skip"],
    diagram: Diagram("element(at: 1)", [.hot("-a--b-c-|")]) { stage in
      stage.record(stage[0].element(at: 1))
    }
  ) { _, bag in
    Observable.of("gold", "silver", "bronze")
      .element(at: 1)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let first = OperatorPage(
    "first", ["first()"],
    "Emits the first element or, for a source without one, nil, as a `Single`.",
    ends: "Right after the first element, or when the source completes without one.",
    fails: "When the source fails before its first element.",
    threads: .onSource,
    memory: .count,
    related: ["take", "single", "element(at:)"],
    diagram: Diagram("first()", [.hot("---a-b-|-")]) { stage in
      stage.record(stage[0].first().asObservable().map { $0 ?? "nil" })
    }
  ) { _, bag in
    Observable<Int>.empty()
      .first()
      .subscribe(onSuccess: { print($0 ?? -1) })
      .disposed(by: bag)
  }

  private static let single = OperatorPage(
    "single", ["single()", "single(_:)"],
    "Emits the only element of the source, and fails if there is another one.",
    ends: .withSource,
    fails:
      """
      When the source fails; with `RxError.moreThanOneElement` at a second element, and with \
      `RxError.noElements` when the source completes without one.
      """,
    threads: .onSource,
    memory: "Holds whether an element has arrived. The element is emitted when it arrives.",
    related: ["asSingle", "first", "take"],
    diagram: Diagram("single()", [.hot("--a--b-|-")]) { stage in stage.record(stage[0].single()) }
  ) { _, bag in
    Observable.of("ann", "bob", "al")
      .single { $0.hasPrefix("b") }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let sample = OperatorPage(
    "sample", ["sample(_:defaultValue:)"],
    "Emits the latest element each time another observable emits or completes.",
    ends:
      """
      When the sampler emits or completes after the completion of the source; never when the sampler has \
      completed before the source.
      """,
    fails: "When the source or the sampler fails.",
    threads: .throughGate,
    memory: "Holds the latest element.",
    related: ["throttle", "withLatestFrom", "debounce"],
    diagram: Diagram("sample(sampler)", [.hot("-a-b--|-"), .hot("--s-s--s", "sampler")]) { stage in
      stage.record(stage[0].sample(stage[1]))
    }
  ) { scheduler, bag in
    let position = Observable<Int>.interval(.milliseconds(300), scheduler: scheduler)
    position
      .sample(Observable<Int>.interval(.seconds(1), scheduler: scheduler))
      .take(2)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let ifEmptyDefault = OperatorPage(
    "ifEmpty(default:)", ["ifEmpty(default:)"],
    "Emits a default element when the source completes without one.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: "Holds whether an element has arrived, and the default.",
    related: ["ifEmpty(switchTo:)", "first", "catchAndReturn"],
    diagram: Diagram(
      "ifEmpty(default: z)", [.hot("--a--|--", "with an element"), .hot("----|---", "without")],
      outputs: ["result of the first", "result of the second"]
    ) { stage in
      stage.record(stage[0].ifEmpty(default: "z"), in: 0)
      stage.record(stage[1].ifEmpty(default: "z"), in: 1)
    }
  ) { _, bag in
    Observable<String>.empty()
      .ifEmpty(default: "nothing found")
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let ifEmptySwitch = OperatorPage(
    "ifEmpty(switchTo:)", ["ifEmpty(switchTo:)"],
    "Continues with another observable when the source completes without an element.",
    ends: "When the source completes after an element, or when the other observable completes.",
    fails: "When the source or the other observable fails.",
    threads: "Delivers on the thread of the source, then on that of the other observable.",
    memory: "Holds the other observable until it begins.",
    related: ["ifEmpty(default:)", "concat", "catch"],
    diagram: Diagram(
      "ifEmpty(switchTo: other)",
      [.hot("---|----"), .cold("-a-b-|", "other, from its subscription")], extra: 5
    ) { stage in stage.record(stage[0].ifEmpty(switchTo: stage[1])) }
  ) { _, bag in
    let cache = Observable<String>.empty()
    cache
      .ifEmpty(switchTo: .just("from the network"))
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }
}
