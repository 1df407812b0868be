import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct DisposableTests {
  @Test func `the action of Disposables.create runs once and is released`() {
    let log = EventRecorder<Int>()
    let wasReleased = isReleased { token in
      let disposable = Disposables.create {
        token.hold()
        log.append(1)
      }
      #expect(!disposable.isDisposed)
      disposable.dispose()
      disposable.dispose()
      #expect(disposable.isDisposed)
    }
    #expect(wasReleased)
    #expect(log.events == [1])
  }

  @Test func `Disposables.create of several disposables disposes of them in order`() {
    let log = EventRecorder<Int>()
    let parts = (1...4).map { number in Disposables.create { log.append(number) } }
    let group = Disposables.create(parts[0], parts[1], parts[2], parts[3])
    group.dispose()
    #expect(log.events == [1, 2, 3, 4])
    #expect(group.isDisposed)
  }
}
