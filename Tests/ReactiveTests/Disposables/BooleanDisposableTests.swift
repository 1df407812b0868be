import Reactive
import TestSupport
import Testing

@Test(.workerPool) func `a boolean disposable has a property isDisposed`() {
  let flag = BooleanDisposable()
  #expect(!flag.isDisposed)
  flag.dispose()
  #expect(flag.isDisposed)
  #expect(BooleanDisposable(isDisposed: true).isDisposed)
  #expect(!BooleanDisposable(isDisposed: false).isDisposed)
}
