import Reactive

extension OperatorPage {
  static let subscribing = [subscribe, bind, drive, emit, doCalls, debug] + awaiting

  private static let subscribe = OperatorPage(
    "subscribe",
    [
      "subscribe(_:)", "subscribe(onNext:onError:onCompleted:onDisposed:)",
      "subscribe(with:onNext:onError:onCompleted:onDisposed:)",
      "subscribe(onNext:onCompleted:onDisposed:)", "subscribe(with:onNext:onCompleted:onDisposed:)",
      "subscribe(onSuccess:onFailure:onDisposed:)",
      "subscribe(with:onSuccess:onFailure:onDisposed:)",
      "subscribe(onSuccess:onError:onCompleted:onDisposed:)",
      "subscribe(with:onSuccess:onError:onCompleted:onDisposed:)",
      "subscribe(onCompleted:onError:onDisposed:)",
      "subscribe(with:onCompleted:onError:onDisposed:)",
    ],
    "Runs the source, and calls closures with its events.",
    ends:
      """
      With the source, or when the result is disposed of: no closure but `onDisposed` is called \
      after that.
      """,
    fails: "Calls `onError`; without it the error goes to `Hooks.defaultErrorHandler`.",
    threads: "Calls the closures on the thread that the source delivers on.",
    memory:
      "Holds the closures until the end or the disposal. The object of `with:` is held weakly.",
    related: ["bind", "drive", "values", "do"],
    diagram: Diagram(
      "subscribe(onNext:onCompleted:onDisposed:)", [.hot("-a--b--|-"), .observer("^-------!")],
      outputs: ["onNext", "onCompleted", "onDisposed"]
    ) { stage in
      stage.during(1) {
        stage[0].subscribe(
          onNext: { stage.note($0, in: 0) }, onCompleted: { stage.note("call", in: 1) },
          onDisposed: { stage.note("call", in: 2) })
      }
    }
  ) { _, _ in
    let events = PublishSubject<Int>()
    let subscription = events.subscribe(
      onNext: { print($0) }, onDisposed: { print("disposed") })
    events.onNext(1)
    subscription.dispose()
    events.onNext(2)
  }

  private static let bind = OperatorPage(
    "bind", ["bind(to:)", "bind(to:curriedArgument:)", "bind(onNext:)", "bind(with:onNext:)"],
    "Sends the elements to observers, relays or a closure.",
    ends: "With the source, or when the result is disposed of. A relay does not end.",
    fails:
      """
      Passes the error to observers; with relays or a closure it goes to \
      `Hooks.defaultErrorHandler`.
      """,
    threads: "Delivers on the thread that the source delivers on; a `Binder` on the main queue.",
    memory: "Holds nothing but what a `Binder` queues for the main queue, without a bound.",
    related: ["subscribe", "drive", "emit"],
    diagram: Diagram("bind(to: relay)", [.hot("-a--b--|-")], outputs: ["the relay emits"]) {
      stage in
      let relay = PublishRelay<String>()
      stage.record(relay.asObservable())
      stage.during(nil) { stage[0].bind(to: relay) }
    }
  ) { _, bag in
    let title = BehaviorRelay(value: "")
    Observable.of("Inbox", "Drafts").bind(to: title).disposed(by: bag)
    print(title.value)
  }

  private static let drive = OperatorPage(
    "drive",
    [
      "drive(_:)", "drive(_:curriedArgument:)", "drive(onNext:onCompleted:onDisposed:)",
      "drive(with:onNext:onCompleted:onDisposed:)",
    ],
    "Sends the elements of a `Driver` to closures, observers or relays on the main actor.",
    ends: "With the driver, or when the result is disposed of.",
    fails: .cannotFail,
    threads: "Delivers on the main queue; closures are `@MainActor`.",
    memory: "Holds the elements queued for the main queue, without a bound.",
    related: ["asDriver", "emit", "bind"],
    diagram: Diagram(
      "asDriver(onErrorJustReturn: z), drive(relay)", [.hot("-a--b-x--"), .observer("---^-----")],
      outputs: ["the relay emits"]
    ) { stage in
      let driver = stage[0].asDriver(onErrorJustReturn: "z")
      let relay = PublishRelay<String>()
      stage.record(relay.asObservable())
      // Keeps the driver running, so that an observer that comes late receives the last element.
      stage.during(nil) { driver.asObservable().subscribe() }
      stage.during(1) { driver.drive(relay) }
    }
  ) { _, bag in
    let text = Observable.of("3", "three").map { try parse($0) }
    text
      .asDriver(onErrorJustReturn: 0)
      .drive(onNext: { print("label shows", $0) })
      .disposed(by: bag)

    @Sendable func parse(_ text: String) throws -> Int {
      guard let number = Int(text) else { throw RxError.unknown }
      return number
    }
  }

  private static let emit = OperatorPage(
    "emit",
    [
      "emit(to:)", "emit(onNext:onCompleted:onDisposed:)",
      "emit(with:onNext:onCompleted:onDisposed:)",
    ],
    "Sends the elements of a `Signal` to closures, observers or relays on the main actor.",
    ends: "With the signal, or when the result is disposed of.",
    fails: .cannotFail,
    threads: "Delivers on the main queue; closures are `@MainActor`.",
    memory: "Holds the elements queued for the main queue, without a bound.",
    related: ["asSignal", "drive", "bind"],
    diagram: Diagram(
      "asSignal(onErrorJustReturn: z), emit(to: relay)",
      [.hot("-a--b-x--"), .observer("---^-----")], outputs: ["the relay emits"]
    ) { stage in
      let signal = stage[0].asSignal(onErrorJustReturn: "z")
      let relay = PublishRelay<String>()
      stage.record(relay.asObservable())
      stage.during(nil) { signal.asObservable().subscribe() }
      stage.during(1) { signal.emit(to: relay) }
    }
  ) { _, bag in
    let alerts = PublishRelay<String>()
    alerts.asSignal().emit(onNext: { print("alert:", $0) }).disposed(by: bag)
    alerts.accept("no network")
  }

  private static let doCalls = OperatorPage(
    "do",
    [
      "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
      "do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
      "do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)",
    ],
    "Calls closures at the events, which pass unchanged.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads:
      """
      Calls the closures on the thread of the event, before it is passed on, or after it for \
      `after...`.
      """,
    memory: .nothing,
    related: ["debug", "map", "materialize"],
    words: ["tap", "handleEvents", "side effect"],
    diagram: Diagram(
      "do(onNext: log, onCompleted: log)", [.hot("-a--b--|-")], outputs: ["result", "log"]
    ) { stage in
      stage.record(
        stage[0].do(
          onNext: { stage.note($0, in: 1) }, onCompleted: { stage.note("completed", in: 1) }))
    }
  ) { _, bag in
    Observable.just("data")
      .do(onNext: { print("received", $0) }, onSubscribe: { print("loading") })
      .subscribe(onNext: { print("shows", $0) })
      .disposed(by: bag)
  }

  private static let debug = OperatorPage(
    "debug", ["debug(_:trimOutput:file:line:function:)"],
    "Prints each subscription, event and disposal to standard output.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: .nothing,
    related: ["do", "materialize"],
    diagram: Diagram("debug(\"marbles\")", [.hot("--a---")]) { stage in
      stage.record(stage[0].debug("marbles"))
    }
  ) { _, bag in
    Observable.of(1, 2)
      .debug("numbers")  // 2026-01-01 12:00:00.000: numbers -> subscribed, and so on
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }
}
