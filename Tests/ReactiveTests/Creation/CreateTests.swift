import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct CreateTests {
  @Test func `Observable.create ignores events after the end`() {
    let log = EventRecorder<String>()
    _ = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      observer.onNext(2)
      observer.onError(TestError.any)
      observer.onCompleted()
      return Disposables.create { log.append("disposed") }
    }
    .record(in: log)
    #expect(log.events == ["1", "|", "disposed"])
  }

  @Test func `Observable.create ignores events after disposal`() {
    let observers = Locked<[AnyObserver<Int>]>([])
    let log = EventRecorder<String>()
    let disposals = Atomic(0)
    let subscription = Observable<Int>.create { observer in
      observers.withLock { $0.append(observer) }
      return Disposables.create { disposals.add(1, ordering: .relaxed) }
    }
    .concat(Observable.never())
    .record(in: log)
    let observer = observers.withLock { $0[0] }
    observer.onNext(1)
    observer.onCompleted()
    #expect(disposals.load(ordering: .relaxed) == 1)
    observer.onNext(2)
    subscription.dispose()
    #expect(log.events == ["1"])
    #expect(disposals.load(ordering: .relaxed) == 1)
  }

  @Test func `Observable.create delivers one of two racing ends`() {
    for _ in 0..<300 {
      let ends = Atomic(0)
      let observers = Locked<[AnyObserver<Int>]>([])
      _ = Observable<Int>.create { observer in
        observers.withLock { $0.append(observer) }
        return Disposables.create()
      }
      .subscribe(
        onError: { _ in ends.add(1, ordering: .relaxed) },
        onCompleted: { ends.add(1, ordering: .relaxed) }
      )
      let observer = observers.withLock { $0[0] }
      onThreads(2) { $0 == 0 ? observer.onCompleted() : observer.onError(TestError.any) }
      #expect(ends.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `Observable.create delivers synchronously during subscribe`() {
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    Observable.of(1, 2).subscribe(onNext: { element in
      Observable<Int>.create { observer in
        observer.onNext(element * 10)
        observer.onCompleted()
        return Disposables.create()
      }
      .record(in: log).disposed(by: bag)
      log.append("\(element)")
    })
    .disposed(by: bag)
    #expect(log.events == ["10", "|", "1", "20", "|", "2"])
  }

  @Test func `deferred creates an observable for each observer and emits a thrown error`() {
    let made = Atomic(0)
    let source = Observable<Int>.deferred { .just(made.add(1, ordering: .relaxed).newValue) }
    #expect(source.recorded() == "1 |")
    #expect(source.recorded() == "2 |")
    #expect(Observable<Int>.deferred { throw TestError.any }.recorded() == "x")
  }

  @Test func `Observable.create releases captured objects with the subscription`() {
    #expect(
      isReleased { token in
        let subscription = Observable<Int>.create { _ in Disposables.create { token.hold() } }
          .subscribe()
        subscription.dispose()
      }
    )
  }

  @Test func `operators on a custom ObservableType keep the event grammar`() {
    struct Unruly: ObservableType {
      typealias Element = Int

      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int {
        observer.onNext(1)
        observer.onCompleted()
        observer.onNext(2)
        observer.onError(TestError.any)
        return Disposables.create()
      }
    }
    #expect(Unruly().map { $0 }.recorded() == "1 |")
    #expect(Unruly().asObservable().concat(Observable.just(7)).recorded() == "1 7 |")
    #expect(Unruly().asObservable().flatMap { _ in Observable<Int>.never() }.recorded() == "")
  }

  @Test func `using disposes of its resource after the subscription`() {
    let log = EventRecorder<String>()
    let used = Observable<Int>.using({ LoggedResource(log) }) { _ in
      .create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create { log.append("source") }
      }
    }
    used.record(in: log).dispose()
    #expect(log.events == ["1", "|", "source", "resource"])
  }

  @Test func `using disposes of its resource on disposal and on an error`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let used = Observable<Int>.using({ LoggedResource(log) }) { _ in subject }
    used.subscribe().dispose()
    #expect(log.events == ["resource"])
    _ = used.subscribe(onError: { _ in log.append("x") })
    subject.onError(TestError.any)
    #expect(log.events == ["resource", "x", "resource"])
  }

  @Test func `using emits errors thrown by its closures`() {
    let log = EventRecorder<String>()
    let noResource = Observable<Int>.using({ () -> LoggedResource in throw TestError.any }) { _ in
      .just(1)
    }
    #expect(noResource.recorded() == "x")
    Observable<Int>.using({ LoggedResource(log) }) { _ in throw TestError.any }
      .record(in: log).dispose()
    #expect(log.events == ["x", "resource"])
  }

  @Test(arguments: [false, true])
  func `Observable.create with an async closure emits its elements and completes`(isDetached: Bool)
    async throws
  {
    let source = Observable<Int>.create(detached: isDetached, priority: .high) { observer in
      observer(1)
      await Task.yield()
      observer(2)
    }
    let elements = try await withDeadline {
      var elements: [Int] = []
      for try await element in source.values { elements.append(element) }
      return elements
    }
    #expect(elements == [1, 2])
  }

  @Test func `Observable.create with an async closure emits a thrown error`() async {
    let source = Observable<Int>.create { (observer: @escaping (Int) -> Void) async throws in
      throw TestError.any
    }
    await #expect(throws: TestError.any) {
      try await withDeadline { for try await _ in source.values {} }
    }
  }

  @Test
  func `disposal cancels the async closure of Observable.create and ignores its later elements`()
    async
  {
    let (started, ended, log) = (Latch(), Latch(), EventRecorder<String>())
    let subscription = Observable<Int>.create { observer in
      observer(1)
      started.open()
      while !Task.isCancelled { await Task.yield() }
      observer(2)
      ended.open()
    }
    .record(in: log)
    await started.opened()
    subscription.dispose()
    await ended.opened()
    #expect(log.events == ["1"])
  }
}

private final class LoggedResource: Disposable {
  private let log: EventRecorder<String>

  init(_ log: EventRecorder<String>) { self.log = log }

  func dispose() { log.append("resource") }
}
