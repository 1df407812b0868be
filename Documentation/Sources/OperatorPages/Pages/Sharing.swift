import Reactive

extension OperatorPage {
  static let sharing = [
    share, publish, replay, replayAll, multicast, multicastSelector, connect, refCount, autoconnect,
  ]

  /// Two observers that come and go.
  private static let observers = [
    DiagramInput.observer("-^---!---", "first observer"), .observer("---^---!-", "second observer"),
  ]

  /// Two observers, and the connection between them.
  private static let connected = [
    DiagramInput.observer("-^-------", "first observer"), .observer("-----^---", "second observer"),
    .observer("--^----!-", "connection"),
  ]

  /// A source that counts the seconds, and notes when it runs.
  private static func seconds(_ stage: DiagramStage, notedIn row: Int) -> Observable<Int> {
    .using {
      stage.note("on", in: row)
      return CompositeDisposable(disposables: [
        Disposables.create { stage.note("off", in: row) }
      ])
    } observableFactory: { _ in
      .interval(.seconds(1), scheduler: stage.scheduler)
    }
  }

  private static let share = OperatorPage(
    "share", ["share(replay:scope:)"],
    "Shares one subscription to the source while there are observers.",
    ends:
      """
      When the source completes. A later observer begins a new connection; with `scope: .forever` it receives \
      the kept elements and the end.
      """,
    fails: .sourceFails,
    threads:
      """
      Delivers on the thread of the source, for all observers. A new observer receives replayed \
      elements on its own.
      """,
    memory:
      """
      Holds one subscription and the last `replay` elements: until the connection ends, or for good with \
      `scope: .forever`.
      """,
    related: ["publish", "refCount", "asDriver", "BehaviorRelay"],
    words: ["shareReplay", "refCount", "hot observable"],
    diagram: Diagram(
      "share()", observers,
      outputs: ["the source runs", "first", "second", "second, of share(replay: 1)"]
    ) { stage in
      let shared = seconds(stage, notedIn: 0).share()
      stage.record(shared, in: 1, by: 0)
      stage.record(shared, in: 2, by: 1)
      let replayed = Observable<Int>.interval(.seconds(1), scheduler: stage.scheduler)
        .share(replay: 1)
      stage.during(0) { replayed.subscribe() }
      stage.record(replayed, in: 3, by: 1)
    }
  ) { scheduler, bag in
    let rates = Observable<Int>.interval(.seconds(20), scheduler: scheduler)
      .do(onSubscribe: { print("one request") })
      .share(replay: 1)
    rates.subscribe(onNext: { print("chart", $0) }).disposed(by: bag)
    rates.subscribe(onNext: { print("label", $0) }).disposed(by: bag)
  }

  private static let publish = OperatorPage(
    "publish", ["publish()"],
    "Shares one subscription to the source, which begins with `connect()`.",
    ends: .withSource,
    fails: .sourceFails,
    threads: "Delivers on the thread of the source, for all observers.",
    memory: "Holds one subscription while it is connected.",
    related: ["connect", "replay", "refCount", "share"],
    diagram: Diagram("publish()", connected, outputs: ["first", "second"]) { stage in
      let published = Observable<Int>.interval(.seconds(1), scheduler: stage.scheduler).publish()
      stage.record(published, in: 0, by: 0)
      stage.record(published, in: 1, by: 1)
      stage.during(2) { published.connect() }
    }
  ) { _, bag in
    let numbers = Observable.of(1, 2).publish()
    numbers.subscribe(onNext: { print("first", $0) }).disposed(by: bag)
    numbers.subscribe(onNext: { print("second", $0) }).disposed(by: bag)
    numbers.connect().disposed(by: bag)
  }

  private static let replay = OperatorPage(
    "replay", ["replay(_:)"],
    "Shares one subscription, and replays the last elements to new observers.",
    ends: "With the source. A later observer waits for the next connection, which begins anew.",
    fails: "With the source. A negative count traps.",
    threads: "Delivers on the thread of the source, and replays on the thread of the new observer.",
    memory: "Holds one subscription while it is connected, and at most `bufferSize` elements.",
    related: ["replayAll", "publish", "share", "ReplaySubject"],
    words: ["replay the last value", "late subscriber"],
    diagram: Diagram("replay(1)", connected, outputs: ["first", "second"]) { stage in
      let replayed = Observable<Int>.interval(.seconds(1), scheduler: stage.scheduler).replay(1)
      stage.record(replayed, in: 0, by: 0)
      stage.record(replayed, in: 1, by: 1)
      stage.during(2) { replayed.connect() }
    }
  ) { _, bag in
    let source = PublishSubject<String>()
    let lines = source.replay(2)
    lines.connect().disposed(by: bag)
    for line in ["one", "two", "three"] { source.onNext(line) }
    lines.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let replayAll = OperatorPage(
    "replayAll", ["replayAll()"],
    "Shares one subscription, and replays all elements to new observers.",
    ends: "With the source. A later observer waits for the next connection, which begins anew.",
    fails: .sourceFails,
    threads: "Delivers on the thread of the source, and replays on the thread of the new observer.",
    memory: "Holds one subscription while it is connected, and all elements, without a bound.",
    related: ["replay", "publish"],
    diagram: Diagram("replayAll()", connected, outputs: ["first", "second"]) { stage in
      let replayed = Observable<Int>.interval(.seconds(1), scheduler: stage.scheduler).replayAll()
      stage.record(replayed, in: 0, by: 0)
      stage.record(replayed, in: 1, by: 1)
      stage.during(2) { replayed.connect() }
    }
  ) { _, bag in
    let moves = PublishSubject<String>()
    let history = moves.replayAll()
    history.connect().disposed(by: bag)
    moves.onNext("e4")
    moves.onNext("e5")
    history.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let multicast = OperatorPage(
    "multicast", ["multicast(_:)", "multicast(makeSubject:)"],
    "Shares one subscription through a subject, which decides what new observers receive.",
    ends: .withSource,
    fails: .sourceFails,
    threads: "Delivers on the thread of the source, for all observers.",
    memory: "Holds the subject, and one subscription while it is connected.",
    related: ["multicast(selector:)", "publish", "replay"],
    diagram: Diagram(
      "multicast(BehaviorSubject(value: 9))", connected, outputs: ["first", "second"]
    ) { stage in
      let source = Observable<Int>.interval(.seconds(1), scheduler: stage.scheduler)
      let shared = source.multicast(BehaviorSubject(value: 9))
      stage.record(shared, in: 0, by: 0)
      stage.record(shared, in: 1, by: 1)
      stage.during(2) { shared.connect() }
    }
  ) { _, bag in
    let state = Observable.of("loading", "ready").multicast(BehaviorSubject(value: "idle"))
    state.subscribe(onNext: { print($0) }).disposed(by: bag)
    state.connect().disposed(by: bag)
  }

  private static let multicastSelector = OperatorPage(
    "multicast(selector:)", ["multicast(_:selector:)"],
    "Uses the source several times in one expression, with one subscription to it.",
    ends: "With the observable that the closure makes.",
    fails: "With that observable, or with the error that a closure throws.",
    threads: .onSource,
    memory: "Holds a subject and one subscription, for each observer.",
    related: ["multicast", "share", "zip"],
    diagram: Diagram("multicast { zip($0, $0.skip(1)) }", [.hot("-a-b-c-|-")]) { stage in
      let pairs = stage[0].multicast({ PublishSubject<String>() }) { shared in
        Observable.zip(shared, shared.skip(1)) { $0 + $1 }
      }
      stage.record(pairs)
    }
  ) { _, bag in
    Observable.of(3, 5, 4)
      .multicast({ PublishSubject<Int>() }) { shared in
        Observable.zip(shared, shared.skip(1)) { $1 - $0 }
      }
      .subscribe(onNext: { print("change:", $0) })
      .disposed(by: bag)
  }

  // MARK: - Connections

  private static let connect = OperatorPage(
    "connect", ["connect()"],
    "Subscribes a connectable observable to its source.",
    ends: "The connection ends with the source, or when the result is disposed of.",
    fails: "The observers receive the error of the source.",
    threads:
      """
      Subscribes within the call. A connection begins after the previous one has released the \
      source.
      """,
    memory: "Holds one subscription to the source.",
    related: ["refCount", "autoconnect", "publish"],
    diagram: Diagram(
      "publish(), connect()", [.observer("-^-------"), .observer("--^----!-", "connection")],
      outputs: ["the source runs", "observer"]
    ) { stage in
      let published = seconds(stage, notedIn: 0).publish()
      stage.record(published, in: 1, by: 0)
      stage.during(1) { published.connect() }
    }
  ) { _, bag in
    let source = PublishSubject<Int>()
    let shared = source.publish()
    shared.subscribe(onNext: { print($0) }).disposed(by: bag)
    source.onNext(1)
    let connection = shared.connect()
    source.onNext(2)
    connection.dispose()
    source.onNext(3)
  }

  private static let refCount = OperatorPage(
    "refCount", ["refCount()"],
    "Connects with the first observer, and disconnects with the last one.",
    ends: .withSource,
    fails: .sourceFails,
    threads: "Connects on the thread of the first observer, and delivers on that of the source.",
    memory: "Holds one subscription while there are observers.",
    related: ["share", "autoconnect", "connect"],
    diagram: Diagram(
      "publish().refCount()", observers, outputs: ["the source runs", "first", "second"]
    ) { stage in
      let shared = seconds(stage, notedIn: 0).publish().refCount()
      stage.record(shared, in: 1, by: 0)
      stage.record(shared, in: 2, by: 1)
    }
  ) { _, bag in
    let socket = Observable<Int>.never()
      .do(onSubscribe: { print("opened") }, onDispose: { print("closed") })
      .publish()
      .refCount()
    let first = socket.subscribe()
    let second = socket.subscribe()
    first.dispose()
    second.dispose()
  }

  private static let autoconnect = OperatorPage(
    "autoconnect", ["autoconnect()"],
    "Connects with the first observer, and stays connected without observers.",
    ends: "With the source. A later observer receives what the subject keeps, and the end.",
    fails: .sourceFails,
    threads: "Connects on the thread of the first observer, and delivers on that of the source.",
    memory: "Holds one subscription until the source ends.",
    related: ["refCount", "connect", "share"],
    diagram: Diagram(
      "publish().autoconnect()", observers, outputs: ["the source runs", "first", "second"]
    ) { stage in
      let shared = seconds(stage, notedIn: 0).publish().autoconnect()
      stage.record(shared, in: 1, by: 0)
      stage.record(shared, in: 2, by: 1)
    }
  ) { _, bag in
    let source = PublishSubject<Int>()
    let shared = source.replay(1).autoconnect()
    shared.subscribe(onNext: { print("first", $0) }).dispose()
    source.onNext(1)
    shared.subscribe(onNext: { print("second", $0) }).disposed(by: bag)
  }
}
