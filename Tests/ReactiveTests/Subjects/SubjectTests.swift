import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct SubjectTests {
  private func disposedObject(_ subject: some ObservableType) -> AnyObject? {
    let object = Locked<AnyObject?>(nil)
    _ = subject.subscribe(onError: { error in
      if case RxError.disposed(let disposed) = error { object.withLock { $0 = disposed } }
    })
    return object.withLock { $0 }
  }

  @Test func `RxError.disposed contains the subject without leaking it`() {
    weak var released: PublishSubject<Int>?
    do {
      let (subject, behavior) = (PublishSubject<Int>(), BehaviorSubject(value: 1))
      released = subject
      subject.dispose()
      behavior.dispose()
      #expect(disposedObject(subject) === subject)
      #expect(disposedObject(behavior) === behavior)
    }
    #expect(released == nil)
  }
}
