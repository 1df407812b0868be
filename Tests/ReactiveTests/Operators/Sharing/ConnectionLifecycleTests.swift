import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ConnectionLifecycleTests {
  private final class Owner: Sendable {
    private let atDeinit: @Sendable () -> Void

    init(atDeinit: @escaping @Sendable () -> Void) { self.atDeinit = atDeinit }

    deinit { atDeinit() }
  }

  @Test func `a deinit that runs when a connection is replaced can use the connectable`() {
    let shared = Locked<ConnectableObservable<Int>?>(nil)
    @Sendable func connect() -> (any Disposable)? { shared.withLock { $0 }?.connect() }
    let source = Observable<Int>.create { _ in
      Disposables.create {
        // This connection ends before it begins: the source is still being released.
        let owner = Owner { connect()?.dispose() }
        let connection = connect()
        _ = shared.withLock { $0 }?.subscribe(onNext: { _ in withExtendedLifetime(owner) {} })
        connection?.dispose()
      }
    }
    shared.withLock { $0 = source.publish() }
    connect()?.dispose()
    let last = connect()
    #expect(last != nil)
    shared.withLock { $0.take() }.map { withExtendedLifetime($0) {} }
    last?.dispose()
  }

  /// A source whose disposal runs `atDisposal`, and that emits 1 at once.
  private func source(_ atDisposal: @escaping @Sendable () -> Void) -> Observable<Int> {
    Observable.create { observer in
      observer.onNext(1)
      return Disposables.create(with: atDisposal)
    }
  }

  @Test func `a connection that waits begins although its observable is released meanwhile`() {
    let connectable = Locked<ConnectableObservable<Int>?>(nil)
    let second = SerialDisposable()
    let (log, bag) = (EventRecorder<String>(), DisposeBag())
    let source = source {
      guard let released = connectable.withLock({ $0.take() }) else { return }
      released.record(in: log).disposed(by: bag)
      second.disposable = released.connect()
    }
    connectable.withLock { $0 = source.publish() }
    connectable.withLock { $0 }?.connect().dispose()
    #expect(log.events == ["1"])
    second.dispose()
  }

  @Test func `100,000 connections that wait for each other begin without recursion`() async {
    await #expect(processExitsWith: .success) {
      onAnotherThread {
        let subscriptions = Atomic(0)
        let shared = Locked<Observable<Int>?>(nil)
        let source = Observable<Int>.create { observer in
          observer.onCompleted()
          return Disposables.create {
            let count = subscriptions.add(1, ordering: .relaxed).newValue
            if count < 100_000 { _ = shared.withLock { $0 }?.subscribe() }
          }
        }
        .share()
        shared.withLock { $0 = source }
        _ = source.subscribe()
        precondition(subscriptions.load(ordering: .relaxed) == 100_000)
        shared.withLock { $0 = nil }
      }
    }
  }

  @Test func `a connection that waits begins before sources that take turns on the thread`() {
    let shared = Locked<Observable<Int>?>(nil)
    let (log, bag) = (EventRecorder<String>(), DisposeBag())
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create()
    }
    .share()
    shared.withLock { $0 = source }
    source.subscribe(
      onNext: { _ in Observable.of(7, 8).record(in: log).disposed(by: bag) },
      onCompleted: { shared.withLock { $0 }?.record(in: log, "second ").disposed(by: bag) }
    )
    .disposed(by: bag)
    #expect(log.events == ["second 1", "second |", "7", "8", "|"])
    shared.withLock { $0 = nil }
  }

  @Test func `a connection that a waiting connection makes begins at once`() {
    let log = EventRecorder<String>()
    let (outer, last) = (Locked<Observable<Int>?>(nil), SerialDisposable())
    let isFirst = Atomic(true)
    let bag = DisposeBag()
    let inner = source {
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      last.disposable.dispose()
      outer.withLock { $0 }?.subscribe().disposed(by: bag)
    }
    .publish()
    let connection = Locked<(any Disposable)?>(nil)
    let source = Observable<Int>.create { _ in
      inner.subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
      let connected = inner.connect()
      connection.withLock { $0 = connected }
      log.append("connected")
      return connected
    }
    outer.withLock { $0 = source.share() }
    last.disposable = outer.withLock { $0 }?.subscribe() ?? Disposables.create()
    #expect(log.events == ["1", "connected"])
    connection.withLock { $0 }?.dispose()
    #expect(log.events == ["1", "connected", "1", "connected"])
    outer.withLock { $0 = nil }
  }

  @Test func `a connection that ends before it begins is released`() {
    let published = Locked<ConnectableObservable<Int>?>(nil)
    #expect(
      isReleased { token in
        let token = Locked(Optional(token))
        let source = source {
          guard let token = token.withLock({ $0.take() }) else { return }
          let waiting = published.withLock { $0 }
          _ = waiting?.subscribe(onNext: { _ in token.hold() })
          waiting?.connect().dispose()
        }
        published.withLock { $0 = source.publish() }
        published.withLock { $0 }?.connect().dispose()
      })
    published.withLock { $0 = nil }
  }

  @Test func `the end of a connection is delivered before the next connection begins`() {
    let shares: [@Sendable (Observable<Int>) -> Observable<Int>] = [
      { $0.share() }, { $0.share(replay: 1) }, { $0.publish().refCount() },
    ]
    for (index, share) in shares.enumerated() {
      let (log, bag) = (EventRecorder<String>(), DisposeBag())
      let shared = Locked<Observable<Int>?>(nil)
      let isFirst = Atomic(true)
      let trigger = PublishSubject<Void>()
      let source = Observable<Int>.create { observer in
        guard isFirst.exchange(false, ordering: .relaxed) else {
          observer.onNext(2)
          return Disposables.create()
        }
        let trigger = trigger.subscribe(onNext: { observer.onCompleted() })
        return Disposables.create {
          trigger.dispose()
          // This observer waits for the release of the source.
          shared.withLock { $0 }?.record(in: log, "second ").disposed(by: bag)
        }
      }
      shared.withLock { $0 = share(source) }
      shared.withLock { $0 }?.record(in: log, "first ").disposed(by: bag)
      trigger.onNext(())
      #expect(log.events == ["first |", "second 2"], "operator \(index)")
      shared.withLock { $0 = nil }
    }
  }

  @Test func `refCount connects every observer that subscribes while a connection ends`() {
    for _ in 0..<60 {
      let counted = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onNext(2)
        observer.onCompleted()
        return Disposables.create()
      }
      .replay(1).refCount()
      let ends = Atomic(0)
      onThreads(4, within: 20) { _ in
        for _ in 0..<50 {
          _ = counted.subscribe(onCompleted: { ends.add(1, ordering: .relaxed) })
        }
      }
      #expect(ends.load(ordering: .relaxed) == 200)
    }
  }
}
