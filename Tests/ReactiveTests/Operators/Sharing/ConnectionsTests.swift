import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ConnectionsTests {
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
