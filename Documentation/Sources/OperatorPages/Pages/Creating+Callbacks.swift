import Reactive

extension OperatorPage {
  static let create = OperatorPage(
    "create", ["create(_:)", "create(subscribe:)"],
    "Runs a closure for each observer, which sends the events: for callbacks.",
    ends: "When the closure, or what it starts, calls `onCompleted`.",
    fails: "When it calls `onError`. Later calls have no effect.",
    threads:
      "Delivers on the thread that calls the observer, which may be any, one call at a time.",
    memory: "Holds the disposable that the closure returns until the end or the disposal.",
    related: ["create(work:)", "deferred", "using", "PublishSubject"],
    diagram: Diagram(
      "create { observer in ... }", [.observer("-^----!--")], outputs: ["result", "disposable"],
      extra: 2
    ) { stage in
      let answers = Observable<String>.create { observer in
        observer.onNext("a")
        let later = Observable<Int>.timer(.seconds(3), scheduler: stage.scheduler).subscribe(
          onNext: { _ in
            observer.onNext("b")
            observer.onCompleted()
          })
        return Disposables.create {
          later.dispose()
          stage.note("cancel", in: 1)
        }
      }
      stage.record(answers, by: 0)
    }
  ) { _, bag in
    let answer = Observable<Int>.create { observer in
      observer.onNext(42)
      observer.onCompleted()
      return Disposables.create { print("cleaned up") }
    }
    answer.subscribe(onNext: { print($0) }).disposed(by: bag)
  }

  static let createWork = OperatorPage(
    "create(work:)", ["create(detached:priority:work:)"],
    "Runs an async closure in a task for each observer.",
    ends: "When the closure returns.",
    fails: "With the error that the closure throws.",
    threads: "Delivers from the task. Disposal cancels the task, and nothing more is delivered.",
    memory: "Holds the task.",
    related: ["create", "AsyncSequence.asObservable", "values"],
    diagram: Diagram("create { emit in await ... }", [.observer("-^------")], extra: 3) { stage in
      let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream()
      let work = Observable<String>.create { emit in
        emit("a")
        for await _ in wakeUps { break }
        emit("b")
      }
      stage.during(0) {
        stage.scheduler.scheduleAt(stage.tick + 3 * Marble.ticksPerSecond) {
          wakeUp.finish()
          stage.waitForEvents(3)
        }
        let subscription = stage.recording(work)
        stage.waitForEvents(1)
        return subscription
      }
    }
  ) { _, _ in
    let pages = Observable<String>.create { emit in
      emit("page 1")
      await Task.yield()  // a request
      emit("page 2")
    }
    for try await page in pages.values { print(page) }
  }

  static let asyncSequence = OperatorPage(
    "AsyncSequence.asObservable", ["asObservable(detached:priority:)"],
    "Emits the elements of an async sequence.",
    ends: "When the sequence ends.",
    fails: "With the error that the sequence throws.",
    threads: "Delivers from a task of each subscription. Disposal cancels the task.",
    memory: "Holds the sequence and the task, and no element.",
    related: ["values", "create(work:)", "from"],
    diagram: Diagram("asObservable()", [.hot("-a--b--|--", "async sequence")]) { stage in
      let (elements, input) = AsyncThrowingStream<String, any Error>.makeStream()
      let subscription = stage.recording(elements.asObservable())
      let feed = stage[0].enumerated().subscribe(
        onNext: { index, element in
          input.yield(element)
          stage.waitForEvents(index + 1)
        },
        onCompleted: {
          input.finish()
          stage.waitForEvents(3)
        })
      stage.during(nil) { Disposables.create(subscription, feed) }
    }
  ) { _, _ in
    let numbers = AsyncStream<Int> { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
    let squares = numbers.asObservable().map { $0 * $0 }
    for try await square in squares.values { print(square) }
  }
}
