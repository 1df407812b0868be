import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct RefCountDisposableTests {
  @Test func `RefCountDisposable without retains disposes at once`() {
    let flag = BooleanDisposable()
    let counted = RefCountDisposable(disposable: flag)
    counted.dispose()
    #expect(flag.isDisposed)
    #expect(counted.isDisposed)
  }

  @Test func `RefCountDisposable disposes with its last reference in either order`() {
    for isPrimaryFirst in [true, false] {
      let flag = BooleanDisposable()
      let counted = RefCountDisposable(disposable: flag)
      let retained = [counted.retain(), counted.retain()]
      if isPrimaryFirst { counted.dispose() }
      retained[0].dispose()
      retained[0].dispose()
      counted.dispose()
      #expect(!flag.isDisposed)
      #expect(!counted.isDisposed)
      retained[1].dispose()
      #expect(flag.isDisposed)
      #expect(counted.isDisposed)
    }
  }

  @Test func `RefCountDisposable does not dispose before its own disposal`() {
    let flag = BooleanDisposable()
    let counted = RefCountDisposable(disposable: flag)
    counted.retain().dispose()
    #expect(!flag.isDisposed)
    counted.dispose()
    counted.retain().dispose()
    counted.dispose()
    #expect(flag.isDisposed)
  }

  @Test func `RefCountDisposable disposes once when three threads race`() {
    for _ in 0..<100 {
      let count = Locked(0)
      let counted = RefCountDisposable(
        disposable: Disposables.create { count.withLock { $0 += 1 } })
      onThreads(3) { index in
        if index == 0 { return counted.dispose() }
        for _ in 0..<20 { counted.retain().dispose() }
      }
      #expect(count.withLock { $0 } == 1)
    }
  }
}
