import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct DisposableTests {
  @Test func `an action runs once and is released`() {
    let log = Log<Int>()
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
    #expect(log.entries == [1])
  }

  @Test func `a group disposes of all in order`() {
    let log = Log<Int>()
    let parts = (1...4).map { number in Disposables.create { log.append(number) } }
    let group = Disposables.create(parts[0], parts[1], parts[2], parts[3])
    group.dispose()
    #expect(log.entries == [1, 2, 3, 4])
    #expect(group.isDisposed)
  }
}
