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
