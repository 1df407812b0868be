import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct SharedConnectionsTests {
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
