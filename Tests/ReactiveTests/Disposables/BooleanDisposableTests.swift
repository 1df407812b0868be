import Reactive
import TestSupport
import Testing

@Test(.workerPool) func `a boolean disposable tells whether it was disposed of`() {
  let flag = BooleanDisposable()
  #expect(!flag.isDisposed)
  flag.dispose()
  #expect(flag.isDisposed)
  #expect(BooleanDisposable(isDisposed: true).isDisposed)
  #expect(!BooleanDisposable(isDisposed: false).isDisposed)
}
