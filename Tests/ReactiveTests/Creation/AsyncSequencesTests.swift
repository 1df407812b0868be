import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct AsyncSequencesTests {
  @Test func `values delivers all elements and ends`() async throws {
    let elements = try await withDeadline {
      var elements: [Int] = []
      for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
      return elements
    }
    #expect(elements == [1, 2, 3])
  }

  @Test func `values throws the error of its source`() async throws {
    await #expect(throws: TestError.any) {
      for try await _ in Observable.of(1).concat(Observable.error(TestError.any)).values {}
    }
  }

  @Test func `leaving a loop over values disposes of the subscription`() async throws {
    let subject = PublishSubject<Int>()
    let disposed = Latch()
    try await withDeadline {
      let source = subject.do(
        onSubscribed: { Task { subject.onNext(1) } },
        onDispose: { disposed.open() }
      )
      for try await element in source.values {
        #expect(element == 1)
        break
      }
    }
    await disposed.opened()
    #expect(!subject.hasObservers)
  }

  @Test func `cancellation of the task disposes of the subscription of values`() async throws {
    let subject = PublishSubject<Int>()
    let (subscribed, disposed) = (Latch(), Latch())
    let source = subject.do(
      onSubscribed: { subscribed.open() },
      onDispose: { disposed.open() }
    )
    let task = Task { for try await _ in source.values {} }
    await subscribed.opened()
    task.cancel()
    await disposed.opened()
    _ = await task.result
    #expect(!subject.hasObservers)
  }

  @Test
  func `an iteration of values throws when its task is cancelled, not when the source completes`()
    async throws
  {
    let subject = PublishSubject<Int>()
    let (subscribed, received) = (Latch(), EventRecorder<Int>())
    let source = subject.do(onSubscribed: { subscribed.open() })
    let task = Task { for try await element in source.values { received.append(element) } }
    await subscribed.opened()
    subject.onNext(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let completing = Task { for try await _ in Observable.of(1, 2).values {} }
    completing.cancel()
    try await completing.value
  }

  @Test func `value returns an available result in a cancelled task`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let (single, maybe) = (try await Single.just(1).value, try await Maybe<Int>.empty().value)
      try await Completable.empty().value
      return (single, maybe)
    }
    let (single, maybe) = try await task.value
    #expect(single == 1 && maybe == nil)
  }

  @Test func `an iteration of values ends when completion, cancellation and elements race`()
    async throws
  {
    try await withDeadline {
      for round in 0..<1_000 {
        let subject = PublishSubject<Int>()
        let task = Task { () -> Int in
          var count = 0
          for try await _ in subject.values { count += 1 }
          return count
        }
        let sender = Task {
          for element in 0..<5 { subject.onNext(element) }
          if round % 3 != 0 { subject.onCompleted() }
        }
        if round % 2 == 0 { task.cancel() }
        await sender.value
        if round % 3 == 0 { task.cancel() }
        // A subscription after the end receives the end, too.
        _ = await task.result
        #expect(!subject.hasObservers)
      }
    }
  }

  @Test func `values with a buffering policy drops the oldest elements`() async throws {
    let subject = PublishSubject<Int>()
    let stream = subject.values(bufferingPolicy: .bufferingNewest(2))
    for element in 0..<10 { subject.onNext(element) }
    subject.onCompleted()
    let elements = try await withDeadline {
      var elements: [Int] = []
      for try await element in stream { elements.append(element) }
      return elements
    }
    #expect(elements == [8, 9])
  }

  @Test func `Single.value returns the element, throws the error and disposes on cancellation`()
    async throws
  {
    #expect(try await Single.just(1).value == 1)
    await #expect(throws: TestError.any) { try await Single<Int>.error(TestError.any).value }
    let started = Latch()
    let disposed = Latch()
    let task = Task {
      try await Single<Int>.create { _ in
        started.open()
        return Disposables.create { disposed.open() }
      }
      .value
    }
    await started.opened()
    task.cancel()
    await disposed.opened()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `Maybe.value and Completable.value return the result or throw the error`() async throws
  {
    #expect(try await Maybe.just(1).value == 1)
    #expect(try await Maybe<Int>.empty().value == nil)
    await #expect(throws: TestError.any) { try await Maybe<Int>.error(TestError.any).value }
    try await Completable.empty().value
    await #expect(throws: TestError.any) { try await Completable.error(TestError.any).value }
    await #expect(throws: RxError.self) { try await Single.just(1).retry(0).value }
  }

  @Test(arguments: [false, true])
  func `Single.create with an async closure emits its result and cancels its task`(detached: Bool)
    async throws
  {
    let single = Single.create(detached: detached, priority: .high) { 1 }
    #expect(try await single.value == 1)
    let failing = Single<Int>.create(detached: detached) { throw TestError.any }
    await #expect(throws: TestError.any) { try await failing.value }
    let (started, cancelled, log) = (Latch(), Latch(), EventRecorder<String>())
    let subscription = Single<Int>.create(detached: detached) {
      started.open()
      await withTaskCancellationHandler {
        await cancelled.opened()
      } onCancel: {
        cancelled.open()
      }
      return 2
    }
    .asObservable().record(in: log)
    await started.opened()
    subscription.dispose()
    await cancelled.opened()
    #expect(log.events.isEmpty)
  }

  @Test func `asObservable of an async sequence emits its elements and completes`() async throws {
    let stream = AsyncStream { continuation in
      for element in 1...3 { continuation.yield(element) }
      continuation.finish()
    }
    let log = EventRecorder<String>()
    let done = Latch()
    let subscription = stream.asObservable().subscribe(
      onNext: { log.append("\($0)") },
      onCompleted: {
        log.append("|")
        done.open()
      }
    )
    await done.opened()
    #expect(log.events == ["1", "2", "3", "|"])
    subscription.dispose()
  }

  @Test func `disposal of an observable of an async sequence cancels the iteration`() async throws {
    let ended = Latch()
    let stream = AsyncStream<Int> { continuation in
      continuation.onTermination = { _ in ended.open() }
    }
    let log = EventRecorder<String>()
    let subscription = stream.asObservable().record(in: log)
    subscription.dispose()
    await ended.opened()
    #expect(log.events.isEmpty)
  }
}
