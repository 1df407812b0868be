import Reactive

extension OperatorPage {
  static let subjects = [
    publishSubject, behaviorSubject, replaySubject, asyncSubject, publishRelay, behaviorRelay,
    replayRelay, serialized,
  ]

  /// What code sends, and an observer that comes late.
  private static let sent = [
    DiagramInput.hot("-a-b-c-|-", "sent"), .observer("----^----", "second observer"),
  ]

  /// What code sends to a relay, which has no end.
  private static let accepted = [
    DiagramInput.hot("-a-b-c---", "accepted"), .observer("----^----", "second observer"),
  ]

  private static let outputs = ["first observer receives", "second observer receives"]

  private static func play(
    _ subject: some Observable<String> & ObserverType<String> & Sendable, _ stage: DiagramStage
  ) {
    stage.record(subject, in: 0)
    stage.record(subject, in: 1, by: 1)
    stage.during(nil) { stage[0].subscribe(subject) }
  }

  private static func play(_ relay: some RelayType<String>, _ stage: DiagramStage) {
    stage.record(relay.asObservable(), in: 0)
    stage.record(relay.asObservable(), in: 1, by: 1)
    stage.during(nil) { stage[0].bind(to: relay) }
  }

  private static let publishSubject = OperatorPage(
    "PublishSubject", [],
    "Sends what it receives to its current observers, the end included.",
    ends: "With `onCompleted()`; later observers receive the end at once.",
    fails: "With `onError(_:)`; later observers receive the error at once.",
    threads: "Delivers on the thread that sends, to one observer after the other.",
    memory: "Holds no element.",
    related: ["PublishRelay", "BehaviorSubject", "serialized"],
    words: ["PassthroughSubject", "event bus"],
    diagram: Diagram("PublishSubject", sent, outputs: outputs) { stage in
      play(PublishSubject<String>(), stage)
    }
  ) { _, bag in
    let subject = PublishSubject<Int>()
    subject.onNext(1)
    subject.subscribe(onNext: { print($0) }).disposed(by: bag)
    subject.onNext(2)
  }

  private static let behaviorSubject = OperatorPage(
    "BehaviorSubject", [],
    "A subject with a value: a new observer first receives the latest element.",
    ends: "With `onCompleted()`; later observers receive the end at once.",
    fails: "With `onError(_:)`; later observers receive the error at once.",
    threads:
      "Delivers on the thread that sends; a new observer receives the value on its own thread.",
    memory: "Holds the latest element.",
    related: ["BehaviorRelay", "ReplaySubject", "share"],
    words: ["CurrentValueSubject", "StateFlow"],
    diagram: Diagram("BehaviorSubject(value: z)", sent, outputs: outputs) { stage in
      play(BehaviorSubject(value: "z"), stage)
    }
  ) { _, bag in
    let subject = BehaviorSubject(value: 0)
    subject.onNext(1)
    subject.subscribe(onNext: { print($0) }).disposed(by: bag)
    print("the value is", try subject.value())
  }

  private static let replaySubject = OperatorPage(
    "ReplaySubject", [],
    "A subject that replays its last elements to a new observer.",
    ends: "With `onCompleted()`; later observers receive the elements and the end.",
    fails: "With `onError(_:)`; later observers receive the elements and the error.",
    threads:
      """
      Delivers on the thread that sends; a new observer receives older elements on its own \
      thread.
      """,
    memory: "Holds at most `bufferSize` elements; all, if it is unbounded.",
    related: ["ReplayRelay", "replay", "BehaviorSubject"],
    diagram: Diagram("ReplaySubject.create(bufferSize: 2)", sent, outputs: outputs) { stage in
      play(ReplaySubject<String>.create(bufferSize: 2), stage)
    }
  ) { _, bag in
    let log = ReplaySubject<String>.create(bufferSize: 2)
    for line in ["start", "load", "ready"] { log.onNext(line) }
    log.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let asyncSubject = OperatorPage(
    "AsyncSubject", [],
    "A subject that emits only its last element, when it completes.",
    ends: "With `onCompleted()`; later observers receive the element and the end.",
    fails: "With `onError(_:)`; the element is dropped.",
    threads:
      """
      Delivers on the thread that completes it; a later observer receives the element on its own \
      thread.
      """,
    memory: "Holds the last element.",
    related: ["takeLast", "ReplaySubject", "asSingle"],
    diagram: Diagram("AsyncSubject", sent, outputs: outputs) { stage in
      play(AsyncSubject<String>(), stage)
    }
  ) { _, bag in
    let result = AsyncSubject<Int>()
    result.subscribe(onNext: { print("result:", $0) }).disposed(by: bag)
    result.onNext(1)
    result.onNext(2)
    result.onCompleted()
  }

  private static let publishRelay = OperatorPage(
    "PublishRelay", [],
    "Sends what it accepts to its current observers. It cannot end.",
    ends: .never,
    fails: .cannotFail,
    threads: "Delivers on the thread that calls `accept`.",
    memory: "Holds no element.",
    related: ["PublishSubject", "BehaviorRelay", "asSignal"],
    diagram: Diagram("PublishRelay", accepted, outputs: outputs) { stage in
      play(PublishRelay<String>(), stage)
    }
  ) { _, bag in
    let taps = PublishRelay<String>()
    taps.subscribe(onNext: { print($0) }).disposed(by: bag)
    taps.accept("save")
  }

  private static let behaviorRelay = OperatorPage(
    "BehaviorRelay", [],
    "A relay with a value: a new observer first receives it. It cannot end.",
    ends: .never,
    fails: .cannotFail,
    threads:
      """
      Delivers on the thread that calls `accept`; a new observer receives the value on its own \
      thread.
      """,
    memory: "Holds the value.",
    related: ["BehaviorSubject", "asDriver", "PublishRelay"],
    words: ["Variable", "@Published"],
    diagram: Diagram("BehaviorRelay(value: z)", accepted, outputs: outputs) { stage in
      play(BehaviorRelay(value: "z"), stage)
    }
  ) { _, bag in
    let count = BehaviorRelay(value: 0)
    count.accept(count.value + 1)
    count.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let replayRelay = OperatorPage(
    "ReplayRelay", [],
    "A relay that replays its last elements to a new observer. It cannot end.",
    ends: .never,
    fails: .cannotFail,
    threads:
      """
      Delivers on the thread that calls `accept`; a new observer receives older elements on its \
      own thread.
      """,
    memory: "Holds at most `bufferSize` elements; all, if it is unbounded.",
    related: ["ReplaySubject", "BehaviorRelay"],
    diagram: Diagram("ReplayRelay.create(bufferSize: 2)", accepted, outputs: outputs) { stage in
      play(ReplayRelay<String>.create(bufferSize: 2), stage)
    }
  ) { _, bag in
    let messages = ReplayRelay<String>.create(bufferSize: 1)
    messages.accept("hello")
    messages.accept("bye")
    messages.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let serialized = OperatorPage(
    "serialized", ["serialized()"],
    "A subject to which several threads may send at once.",
    ends: "With the subject.",
    fails: "With the subject.",
    threads: .throughGate,
    memory: "Holds the elements that wait at its gate.",
    related: ["PublishSubject", "merge"],
    diagram: Diagram(
      "PublishSubject().serialized()", [.hot("-1--2--|", "thread a"), .hot("--a--b--", "thread b")]
    ) { stage in
      let subject = PublishSubject<String>().serialized()
      stage.record(subject.asObservable())
      stage.during(nil) { stage[0].subscribe(subject) }
      stage.during(nil) { stage[1].subscribe(subject) }
    }
  ) { _, bag in
    let subject = PublishSubject<Int>().serialized()
    subject.subscribe(onNext: { print($0) }).disposed(by: bag)
    await withTaskGroup { group in
      for number in [1, 1] { group.addTask { subject.onNext(number) } }
    }
  }
}
