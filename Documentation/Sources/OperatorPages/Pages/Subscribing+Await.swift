import Dispatch
import Reactive

extension OperatorPage {
  static let awaiting = [values, valuesBuffer, value]

  private static let values = OperatorPage(
    "values", ["values", "values(bufferingPolicy:)"],
    "The elements as an async sequence, for `for try await`.",
    ends:
      "The loop ends when the source completes. The subscription ends with the loop or its task.",
    fails:
      "The loop throws the error of the source, or `CancellationError` when its task is cancelled.",
    threads: "The loop runs where its task does; the sender continues at once.",
    memory: "Holds the elements that the loop has not taken yet, without a bound.",
    related: ["values(buffer:)", "value", "AsyncSequence.asObservable"],
    diagram: Diagram(
      "for try await element in source.values", [.hot("-a--b--|-")], outputs: ["the loop"]
    ) { stage in
      let elements = stage[0].values
      let loop = Task {
        for try await element in elements { stage.note(element) }
        stage.note(.completed)
      }
      // The time stands still until the loop has taken the element.
      let clock = stage[0].enumerated().subscribe(
        onNext: { index, _ in stage.waitForEvents(index + 1) },
        onCompleted: { stage.waitForEvents(3) }, onDisposed: { loop.cancel() })
      stage.during(nil) { clock }
    }
  ) { _, _ in
    for try await number in Observable.of(1, 2, 3).values { print(number) }
    print("completed")
  }

  private static let valuesBuffer = OperatorPage(
    "values(buffer:)", ["values(buffer:onDropped:)"],
    "The elements as an async sequence, with a limit for those that the loop has not taken yet.",
    ends: "The loop ends when the source completes, after the buffered elements.",
    fails:
      """
      The loop throws the error of the source, `BufferOverflowError` by the policy `.fail`, or \
      `CancellationError`, after the buffered elements.
      """,
    threads:
      """
      The loop runs where its task does. `onDropped` is called on the thread of the element that \
      did not fit.
      """,
    memory:
      """
      Holds at most as many elements as the policy allows. With `.suspend` and a source that cannot be \
      suspended, it is unbounded.
      """,
    related: ["values", "observe(on:buffer:)", "throttle"],
    diagram: Diagram(
      "values(buffer: .bounded(2, .dropOldest))", [.hot("-abcd-|--")],
      outputs: ["a loop that begins at the end", "dropped so far"]
    ) { stage in
      let elements = stage[0].values(buffer: .bounded(2, .dropOldest)) {
        stage.note("\($0)", in: 1)
      }
      let loop = stage[0].subscribe(onCompleted: {
        let dropped = stage.count
        Task {
          for try await element in elements { stage.note(element) }
          stage.note(.completed)
        }
        stage.waitForEvents(dropped + 3)
      })
      stage.during(nil) { loop }
    }
  ) { _, _ in
    let rows = Observable.range(start: 1, count: 1_000)
      .values(buffer: .bounded(16, .suspend))
    for try await row in rows {
      print("row", row)
      if row == 2 { break }
    }
  }

  private static let value = OperatorPage(
    "value", ["value"],
    "Waits for the element of a `Single` or `Maybe`, or for the end of a `Completable`.",
    ends: "Returns the element; nil for a maybe without one.",
    fails: "Throws the error of the sequence, or `CancellationError` when the task is cancelled.",
    threads: "The task continues where it runs.",
    memory: "Holds the subscription while the task waits.",
    related: ["values", "asSingle", "first"],
    diagram: Diagram(
      "try await single.value", [.hot("---a----", "single")], outputs: ["the task continues"]
    ) { stage in
      let isSubscribed = DispatchSemaphore(value: 0)
      let single = stage[0].take(1).asSingle().do(onSubscribed: { isSubscribed.signal() })
      let task = Task { stage.note(try await single.value) }
      isSubscribed.wait()
      let clock = stage[0].subscribe(
        onNext: { _ in stage.waitForEvents(1) }, onDisposed: { task.cancel() })
      stage.during(nil) { clock }
    }
  ) { _, _ in
    let total = Single.zip(Single.just(2), Single.just(3)) { $0 * $1 }
    print(try await total.value)
  }
}
