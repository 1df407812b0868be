import Reactive

extension OperatorPage {
  static let creating = [
    just, of, from, fromOptional, empty, never, error, range, generate, repeatElement, create,
    createWork, deferred, using, interval, timer, asyncSequence,
  ]

  private static let just = OperatorPage(
    "just", ["just(_:)", "just(_:scheduler:)"],
    "Emits one element and completes.",
    ends: "Right after the element.",
    fails: .cannotFail,
    threads: "Delivers within the call that subscribes; on the scheduler, if one is given.",
    memory: "Holds the element.",
    related: ["of", "from(optional:)", "empty"],
    diagram: Diagram("just(a)", [.observer("--^-----")]) { stage in
      stage.record(Observable.just("a"), by: 0)
    }
  ) { _, bag in
    Observable.just("hello")
      .subscribe(onNext: { print($0) }, onCompleted: { print("completed") })
      .disposed(by: bag)
  }

  private static let of = OperatorPage(
    "of", ["of(_:scheduler:)", "of(_:)"],
    "Emits the given elements and completes.",
    ends: "After the last element.",
    fails: .cannotFail,
    threads: .inTurns,
    memory: "Holds the elements and the position in them.",
    related: ["from", "just", "range"],
    diagram: Diagram("of(a, b, c)", [.observer("--^-----")]) { stage in
      stage.record(Observable.of("a", "b", "c"), by: 0)
    }
  ) { _, bag in
    // Sources of several elements take turns.
    Observable.merge(.of(1, 2, 3), .of(4, 5, 6))
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let from = OperatorPage(
    "from", ["from(_:scheduler:)", "from(_:)"],
    "Emits the elements of a sequence and completes.",
    ends: "After the last element of the sequence.",
    fails: .cannotFail,
    threads: .inTurns,
    memory: "Holds the sequence and the position in it. Each subscription makes its own iterator.",
    related: ["of", "AsyncSequence.asObservable", "generate"],
    diagram: Diagram("from([a, b])", [.observer("--^-----")]) { stage in
      stage.record(Observable.from(["a", "b"]), by: 0)
    }
  ) { _, bag in
    Observable.from(stride(from: 0, to: 30, by: 10))
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let fromOptional = OperatorPage(
    "from(optional:)", ["from(optional:)", "from(optional:scheduler:)"],
    "Emits the value of an optional, if there is one, and completes.",
    ends: "After the element, or at once without one.",
    fails: .cannotFail,
    threads: "Delivers within the call that subscribes; on the scheduler, if one is given.",
    memory: "Holds the optional.",
    related: ["just", "compactMap"],
    diagram: Diagram(
      "from(optional:)", [.observer("--^-----")], outputs: ["of a", "of nil"]
    ) { stage in
      stage.record(Observable.from(optional: "a" as String?), in: 0, by: 0)
      stage.record(Observable.from(optional: nil as String?), in: 1, by: 0)
    }
  ) { _, bag in
    Observable.from(optional: Int("12"))
      .ifEmpty(default: 0)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let empty = OperatorPage(
    "empty", ["empty()"],
    "Completes without an element.",
    ends: "Within the call that subscribes.",
    fails: .cannotFail,
    threads: .onSubscriber,
    memory: .nothing,
    related: ["never", "error", "ifEmpty(default:)"],
    diagram: Diagram("empty()", [.observer("--^-----")]) { stage in
      stage.record(Observable<String>.empty(), by: 0)
    }
  ) { _, bag in
    Observable<Int>.empty()
      .subscribe(onNext: { print($0) }, onCompleted: { print("completed") })
      .disposed(by: bag)
  }

  private static let never = OperatorPage(
    "never", ["never()"],
    "Emits nothing and never ends.",
    ends: .never,
    fails: .cannotFail,
    threads: "Delivers nothing.",
    memory: .nothing,
    related: ["empty", "timeout"],
    diagram: Diagram("never()", [.observer("--^-----")]) { stage in
      stage.record(Observable<String>.never(), by: 0)
    }
  ) { scheduler, bag in
    Observable<Int>.never()
      .timeout(.seconds(5), scheduler: scheduler)
      .subscribe(onError: { print("failed:", $0) })
      .disposed(by: bag)
  }

  private static let error = OperatorPage(
    "error", ["error(_:)"],
    "Fails without an element.",
    ends: .never,
    fails: "Within the call that subscribes.",
    threads: .onSubscriber,
    memory: "Holds the error.",
    related: ["empty", "catch", "materialize"],
    diagram: Diagram("error(x)", [.observer("--^-----")]) { stage in
      stage.record(Observable<String>.error(RxError.unknown), by: 0)
    }
  ) { _, bag in
    Observable<Int>.error(RxError.noElements)
      .subscribe(onError: { print("failed:", $0) })
      .disposed(by: bag)
  }

  private static let range = OperatorPage(
    "range", ["range(start:count:scheduler:)"],
    "Emits a number of integers that follow each other, and completes.",
    ends: "After the last integer.",
    fails: "It cannot fail. A negative count, or integers that the type cannot represent, trap.",
    threads: .inTurns,
    memory: "Holds the position.",
    related: ["of", "generate", "interval"],
    diagram: Diagram("range(start: 5, count: 3)", [.observer("--^-----")]) { stage in
      stage.record(Observable.range(start: 5, count: 3), by: 0)
    }
  ) { _, bag in
    Observable.range(start: 1, count: 4)
      .reduce(1, accumulator: *)
      .subscribe(onNext: { print("4! is", $0) })
      .disposed(by: bag)
  }

  private static let generate = OperatorPage(
    "generate", ["generate(initialState:condition:scheduler:iterate:)"],
    "Emits a first element, and then elements made from the previous one while a condition holds.",
    ends: "When the condition returns false.",
    fails: "With the error that a closure throws.",
    threads: .inTurns,
    memory: "Holds the previous element.",
    related: ["range", "expand", "repeatElement"],
    diagram: Diagram("generate(1, while < 20) { $0 * 3 }", [.observer("--^-----")]) { stage in
      let numbers = Observable.generate(initialState: 1, condition: { $0 < 20 }) { $0 * 3 }
      stage.record(numbers, by: 0)
    }
  ) { _, bag in
    Observable.generate(initialState: 100, condition: { $0 > 1 }, iterate: { $0 / 3 })
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let repeatElement = OperatorPage(
    "repeatElement", ["repeatElement(_:scheduler:)"],
    "Emits one element again and again, without end.",
    ends: "Never: end it with `take`, or dispose of it.",
    fails: .cannotFail,
    threads: .inTurns,
    memory: "Holds the element.",
    related: ["interval", "generate", "take"],
    diagram: Diagram("repeatElement(a).take(3)", [.observer("--^-----")]) { stage in
      stage.record(Observable.repeatElement("a").take(3), by: 0)
    }
  ) { _, bag in
    Observable.repeatElement("=")
      .take(20)
      .reduce("", accumulator: +)
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let deferred = OperatorPage(
    "deferred", ["deferred(_:)"],
    "Makes a new observable for each observer.",
    ends: "With the observable that the closure returns.",
    fails: "With that observable, or with the error that the closure throws.",
    threads:
      "Runs the closure within the call that subscribes, and delivers as its observable does.",
    memory: .nothing,
    related: ["create", "using"],
    diagram: Diagram(
      "deferred { just(now) }", [.observer("-^------", "first"), .observer("----^---", "second")],
      outputs: ["first receives", "second receives"]
    ) { stage in
      let time = Observable<String>.deferred { .just("\(stage.tick / Marble.ticksPerSecond) s") }
      stage.record(time, in: 0, by: 0)
      stage.record(time, in: 1, by: 1)
    }
  ) { _, bag in
    let name = BehaviorRelay(value: "first")
    let greeting = Observable<String>.deferred { .just("hello, \(name.value)") }
    name.accept("second")
    greeting.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  private static let using = OperatorPage(
    "using", ["using(_:observableFactory:)", "using(_:primitiveSequenceFactory:)"],
    "Opens a resource for each observer, and disposes of it after the subscription.",
    ends: "With the observable that is made from the resource.",
    fails: "With that observable, or with the error that a closure throws.",
    threads:
      "Runs the closures within the call that subscribes, and delivers as the observable does.",
    memory: "Holds the resource until the end or the disposal.",
    related: ["create", "deferred"],
    diagram: Diagram(
      "using(file) { lines of it }", [.observer("-^----!--")], outputs: ["result", "file"], extra: 3
    ) { stage in
      let lines = Observable<String>.using {
        stage.note("open", in: 1)
        return CompositeDisposable(disposables: [
          Disposables.create { stage.note("close", in: 1) }
        ])
      } observableFactory: { _ in
        Observable<Int>.interval(.milliseconds(1500), scheduler: stage.scheduler)
          .map { "\($0)" }.take(3)
      }
      stage.record(lines, by: 0)
    }
  ) { _, bag in
    struct File: Disposable {
      func dispose() { print("closed") }
    }
    Observable<String>.using {
      File()
    } observableFactory: { _ in
      .of("one line", "another line")
    }
    .subscribe(onNext: { print($0) })
    .disposed(by: bag)
  }

  private static let interval = OperatorPage(
    "interval", ["interval(_:scheduler:)", "interval(_:)"],
    "Counts up from zero, one number in every period.",
    ends: .never,
    fails: .cannotFail,
    threads: .onScheduler,
    memory: .timer,
    related: ["timer", "repeatElement", "sample"],
    words: ["timer publisher", "repeating timer"],
    diagram: Diagram("interval(2 s)", [.observer("-^-----!-")]) { stage in
      stage.record(Observable<Int>.interval(.seconds(2), scheduler: stage.scheduler), by: 0)
    }
  ) { scheduler, bag in
    Observable<Int>.interval(.seconds(20), scheduler: scheduler)
      .subscribe(onNext: { print("poll", $0) })
      .disposed(by: bag)
  }

  private static let timer = OperatorPage(
    "timer", ["timer(_:period:scheduler:)", "timer(_:scheduler:)", "timer(_:period:)"],
    "Emits zero after a time and, with a period, the next number in every period.",
    ends: "After the zero; never with a period.",
    fails: .cannotFail,
    threads: .onScheduler,
    memory: .timer,
    related: ["interval", "delay", "delaySubscription"],
    words: ["one-shot timer"],
    diagram: Diagram(
      "timer(3 s)", [.observer("-^------")], outputs: ["timer(3 s)", "timer(3 s, period: 1 s)"],
      extra: 3
    ) { stage in
      let scheduler = stage.scheduler
      stage.record(Observable<Int>.timer(.seconds(3), scheduler: scheduler), in: 0, by: 0)
      let repeated = Observable<Int>.timer(
        .seconds(3), period: .seconds(1), scheduler: scheduler)
      stage.record(repeated, in: 1, by: 0)
    }
  ) { scheduler, bag in
    Observable<Int>.timer(.seconds(5), scheduler: scheduler)
      .subscribe(onNext: { _ in print("five seconds") }, onCompleted: { print("completed") })
      .disposed(by: bag)
  }
}
