import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct CreateTests {
  @Test func `nothing passes after the end`() {
    let log = Log<String>()
    _ = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      observer.onNext(2)
      observer.onError(TestError.any)
      observer.onCompleted()
      return Disposables.create { log.append("disposed") }
    }
    .write(to: log)
    #expect(log.entries == ["1", "|", "disposed"])
  }

  @Test func `nothing passes after disposal, though the source goes on`() {
    let observers = Locked<[AnyObserver<Int>]>([])
    let log = Log<String>()
    let disposals = Atomic(0)
    let subscription = Observable<Int>.create { observer in
      observers.withLock { $0.append(observer) }
      return Disposables.create { disposals.add(1, ordering: .relaxed) }
    }
    .concat(Observable.never())
    .write(to: log)
    let observer = observers.withLock { $0[0] }
    observer.onNext(1)
    observer.onCompleted()
    #expect(disposals.load(ordering: .relaxed) == 1)
    observer.onNext(2)
    subscription.dispose()
    #expect(log.entries == ["1"])
    #expect(disposals.load(ordering: .relaxed) == 1)
  }

  @Test func `one of two ends from two threads passes`() {
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

  @Test func `it delivers while it is subscribed, out of turn`() {
    let log = Log<String>()
    let bag = DisposeBag()
    Observable.of(1, 2).subscribe(onNext: { element in
      Observable<Int>.create { observer in
        observer.onNext(element * 10)
        observer.onCompleted()
        return Disposables.create()
      }
      .write(to: log).disposed(by: bag)
      log.append("\(element)")
    })
    .disposed(by: bag)
    #expect(log.entries == ["10", "|", "1", "20", "|", "2"])
  }

  @Test func `deferred makes a new one each time and ends with what it throws`() {
    let made = Atomic(0)
    let source = Observable<Int>.deferred { .just(made.add(1, ordering: .relaxed).newValue) }
    #expect(source.written() == "1 |")
    #expect(source.written() == "2 |")
    #expect(Observable<Int>.deferred { throw TestError.any }.written() == "x")
  }

  @Test func `what it captured is released with the subscription`() {
    #expect(
      isReleased { token in
        let subscription = Observable<Int>.create { _ in Disposables.create { token.hold() } }
          .subscribe()
        subscription.dispose()
      }
    )
  }

  @Test func `a source with a type of its own keeps the grammar`() {
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
    #expect(Unruly().map { $0 }.written() == "1 |")
    #expect(Unruly().asObservable().concat(Observable.just(7)).written() == "1 7 |")
    #expect(Unruly().asObservable().flatMap { _ in Observable<Int>.never() }.written() == "")
  }

  @Test func `using disposes of its resource after the subscription`() {
    let log = Log<String>()
    let used = Observable<Int>.using({ LoggedResource(log) }) { _ in
      .create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create { log.append("source") }
      }
    }
    used.write(to: log).dispose()
    #expect(log.entries == ["1", "|", "source", "resource"])
  }

  @Test func `disposal and an error dispose of the resource too`() {
    let (subject, log) = (PublishSubject<Int>(), Log<String>())
    let used = Observable<Int>.using({ LoggedResource(log) }) { _ in subject }
    used.subscribe().dispose()
    #expect(log.entries == ["resource"])
    _ = used.subscribe(onError: { _ in log.append("x") })
    subject.onError(TestError.any)
    #expect(log.entries == ["resource", "x", "resource"])
  }

  @Test func `errors thrown by the closures of using are the end`() {
    let log = Log<String>()
    let noResource = Observable<Int>.using({ () -> LoggedResource in throw TestError.any }) { _ in
      .just(1)
    }
    #expect(noResource.written() == "x")
    Observable<Int>.using({ LoggedResource(log) }) { _ in throw TestError.any }
      .write(to: log).dispose()
    #expect(log.entries == ["x", "resource"])
  }

  @Test(arguments: [false, true])
  func `an async closure's elements arrive, and its end`(isDetached: Bool) async throws {
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

  @Test func `an error thrown by an async closure is the end`() async {
    let source = Observable<Int>.create { (observer: @escaping (Int) -> Void) async throws in
      throw TestError.any
    }
    await #expect(throws: TestError.any) {
      try await withDeadline { for try await _ in source.values {} }
    }
  }

  @Test func `disposal cancels an async closure, and nothing more is heard of it`() async {
    let (started, ended, log) = (Latch(), Latch(), Log<String>())
    let subscription = Observable<Int>.create { observer in
      observer(1)
      started.open()
      while !Task.isCancelled { await Task.yield() }
      observer(2)
      ended.open()
    }
    .write(to: log)
    await started.opened()
    subscription.dispose()
    await ended.opened()
    #expect(log.entries == ["1"])
  }
}

private final class LoggedResource: Disposable {
  private let log: Log<String>

  init(_ log: Log<String>) { self.log = log }

  func dispose() { log.append("resource") }
}
